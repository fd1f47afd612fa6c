// Checks the subjects of the commits that a clone contains: `scope: imperative`, at most 72 characters.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Older commits had no rule. */
const SINCE = '2026-11-25T20:00:00Z';
const MAX_LENGTH = 72;

/** What is wrong with a subject; undefined for a good one. */
export function faultOf(subject: string): string | undefined {
  if (!/^[a-z][a-z0-9-]*: \S/.test(subject)) return 'must begin with a scope, as in "exposition: …"';
  const { length } = [...subject];
  return length > MAX_LENGTH ? `has ${length} characters, of at most ${MAX_LENGTH}` : undefined;
}

/**
 * The faulty subjects of a repository, one line each, newest first. A shallow clone is checked as far as it goes, an
 * unpacked archive not at all. Throws if git fails.
 */
export function faultySubjects(folder: string): readonly string[] {
  if (!existsSync(`${folder}/.git`)) return [];
  // CI often checks out the files as another user.
  const args = [
    '-c',
    'safe.directory=*',
    'log',
    '--no-merges',
    `--since-as-filter=${SINCE}`,
    '--format=%h %s',
  ];
  const commits = execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trimEnd();
  return commits.split('\n').flatMap((line) => {
    const [hash = '', ...words] = line.split(' ');
    const fault = hash === '' ? undefined : faultOf(words.join(' '));
    return fault === undefined ? [] : [`${hash} ${fault}: ${words.join(' ')}`];
  });
}

if (import.meta.main) {
  const faulty = faultySubjects(process.cwd());
  for (const line of faulty) console.error(line);
  process.exitCode = faulty.length === 0 ? 0 : 1;
}
