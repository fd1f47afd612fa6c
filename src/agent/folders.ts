import { realpathSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../text/errors.ts';

const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

/**
 * Whether a directory pattern matches a directory: `*` matches any name or part of one, `**` any number of directories. A
 * pattern also matches everything below a matching directory. Either may lead there by links, such as a home directory
 * that is one.
 */
export function matchesFolder(pattern: string, cwd: string | undefined): boolean {
  if (cwd === undefined) return false;
  const folder = cwd.slice(0, 4096);
  const patterns = [pattern, physical(pattern)].map((one) => regularExpression(spelled(one)));
  return [folder, physical(folder)].some((one) => patterns.some((each) => each.test(spelled(one))));
}

/** A path whose part before the first wildcard is without links; the same if that does not exist. */
function physical(text: string): string {
  const fixed = /^[^*?]*(?=[/\\]|$)/.exec(text)?.[0] ?? '';
  const real = path.isAbsolute(fixed) ? attempt(() => realpathSync(fixed)) : undefined;
  return real === undefined ? text : `${real}${text.slice(fixed.length)}`;
}

/** With slashes, and the letter of a drive in lower case. */
function spelled(text: string): string {
  return text.replaceAll('\\', '/').replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}

function regularExpression(pattern: string): RegExp {
  const body = pattern
    .replace(/\/+$/, '')
    .replace(/\*\*\/|\*\*|[\\^$.*+?()[\]{}|/-]/g, (found) => WILDCARDS[found] ?? `\\${found}`);
  return new RegExp(`^${body}(?:/.*)?$`, 's');
}
