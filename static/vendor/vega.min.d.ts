/** What static/reports/pictures.js takes from vega.min.js, for the type checker alone. */

type Specification = { readonly [key: string]: unknown };

export function compile(specification: Specification): { spec: Specification };
export function parse(specification: Specification, config: null, options: { ast: boolean }): object;
export const expressionInterpreter: object;

export class View {
  constructor(runtime: object, options: { expr: object; renderer: "svg"; hover: boolean });
  initialize(container: Element): this;
  runAsync(): Promise<this>;
  finalize(): this;
}
