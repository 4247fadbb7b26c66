/** The respondent's page of a survey that asks for numbers, for places and crosswise questions. */

import "./numbers.js";
import "./places.js";
import "./crosswise.js";
import "./answer.js";
