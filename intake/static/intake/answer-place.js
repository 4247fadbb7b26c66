/** The respondent's page of a survey that asks for places. */

import "./places.js";
import "./answer.js";
