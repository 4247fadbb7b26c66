/** The respondent's page of a survey that asks for numbers, for crosswise questions and for choices sent as sets. */

import "./numbers.js";
import "./crosswise.js";
import "./sets.js";
import "./answer.js";
