/** The respondent's page of a survey that asks for places and crosswise questions. */

import "./places.js";
import "./crosswise.js";
import "./answer.js";
