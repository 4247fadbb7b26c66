/** The respondent's page of a survey that asks for numbers and for places. */

import "./numbers.js";
import "./places.js";
import "./answer.js";
