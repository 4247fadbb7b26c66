/** The respondent's page of a survey that asks for crosswise questions and for choices sent as sets. */

import "./crosswise.js";
import "./sets.js";
import "./answer.js";
