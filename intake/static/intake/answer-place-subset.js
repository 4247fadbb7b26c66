/** The respondent's page of a survey that asks for places and for choices sent as sets. */

import "./places.js";
import "./sets.js";
import "./answer.js";
