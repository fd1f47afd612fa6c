// Letters and digits of any script: the name is a label value, and stands in `/probe?target=`.
const shape = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]{0,62}[\p{L}\p{N}])?$/u;

/** What `isOrgName` takes, in words. */
export const orgNameRule =
  'a name of 1 to 64 letters and digits, with dots, dashes, underscores or spaces between them';

/** Whether a text can be an organization's name. */
export function isOrgName(text: string): boolean {
  return shape.test(text) && text.length <= 64;
}
