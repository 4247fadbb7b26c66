/** The respondent's page of a survey that asks crosswise questions. */

import "./crosswise.js";
import "./answer.js";
