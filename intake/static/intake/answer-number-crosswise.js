/** The respondent's page of a survey that asks for numbers and crosswise questions. */

import "./numbers.js";
import "./crosswise.js";
import "./answer.js";
