const NAME = /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N}_.:/@-]{1,128}$/u;

/** What all tool calls are counted under whose tool is not a name. */
export const INVALID_TOOL = 'invalid';

/**
 * The tool as a label value. A name has 1 to 128 letters, digits and `_ . : / @ -`, one letter or digit at
 * least: what the Model Context Protocol and the model vendors allow, and some more. Anything else, spaces
 * included, is a piece of a model's output that was parsed wrongly; it might hold a prompt.
 */
export function toolName(tool: string): string {
  return NAME.test(tool) ? tool : INVALID_TOOL;
}
