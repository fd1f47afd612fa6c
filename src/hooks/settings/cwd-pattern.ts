/**
 * The regular expression for a folder pattern: `*` is any name or part of one, `**` any number of folders, and what
 * lies below a folder that matches does so too.
 */
export function cwdPattern(pattern: string): string {
  const parts = pattern
    .replaceAll('\\', '/')
    .replace(/\/+$/, '')
    .split(/(\*\*\/|\*\*|\*|\?)/);
  const body = parts
    .map((part) => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      return part === '?' ? '[^/]' : part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    })
    .join('');
  return `^${body}(?:/.*)?$`;
}
