// What the pictures need of Vega, and no more: maps, forces, trees and word clouds stay out of the bundle.
import { transforms } from "vega-dataflow";
import * as encode from "vega-encode";
import * as data from "vega-transforms";
import * as drawn from "vega-view-transforms";

Object.assign(transforms, data, drawn, encode);

export { expressionInterpreter } from "vega-interpreter";
export { compile } from "vega-lite";
export { parse } from "vega-parser";
export { View } from "vega-view";
