import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Something of a repository that a criterion asks for. */
export interface Evidence {
  /** What is looked at, and for what. */
  readonly what: string;
  /** Whether the repository in a folder has it. */
  isIn(root: string): boolean;
}

/** A criterion: the evidence that it needs, all of it, or the reason why it does not apply. */
export type Check = readonly Evidence[] | { readonly notApplicable: string };

/** What became of a criterion. */
export interface Verdict {
  readonly criterion: string;
  readonly verdict: 'pass' | 'fail' | 'not applicable';
  /** What was looked at; of a failed one, what is missing; of one that does not apply, the reason. */
  readonly because: string;
}

function textOf(root: string, file: string): string | undefined {
  const name = path.join(root, file);
  return existsSync(name) ? readFileSync(name, 'utf8') : undefined;
}

/** A file that contains a text, or any text. */
export function says(file: string, text = ''): Evidence {
  return {
    what: text === '' ? file : `${file}: ${text}`,
    isIn: (root) => textOf(root, file)?.includes(text) ?? false,
  };
}

/** A script of package.json that CI runs. */
export function inCi(script: string): Evidence {
  const command = script === 'test' ? 'npm test' : `npm run ${script}`;
  return {
    what: `.ci/run: ${command}`,
    isIn: (root) =>
      (textOf(root, 'package.json')?.includes(`"${script}": `) ?? false) &&
      (textOf(root, '.ci/run')?.includes(command) ?? false),
  };
}

/** At least so many files of a pattern. */
export function many(pattern: string, least: number): Evidence {
  return {
    what: `at least ${least} files ${pattern}`,
    isIn: (root) => globSync(pattern, { cwd: root }).length >= least,
  };
}

/** Some files of a pattern, none of which contains a word in capitals. */
export function without(pattern: string, words: readonly string[]): Evidence {
  const word = new RegExp(String.raw`\b(?:${words.join('|')})\b`);
  return {
    what: `no ${words.join(' or ')} in ${pattern}`,
    isIn(root) {
      const files = globSync(pattern, { cwd: root });
      return files.length > 0 && !files.some((file) => word.test(textOf(root, file) ?? ''));
    },
  };
}

/** A page whose scripts of npm and paths in backticks exist. */
export function upToDate(page: string): Evidence {
  return {
    what: `${page}: its commands and paths exist`,
    isIn(root) {
      const text = textOf(root, page);
      if (text === undefined) return false;
      const scripts = [...text.matchAll(/(?:^|[`&] ?)npm run ([\w:]+)/gm)].map(([, name = '']) => name);
      const paths = [...text.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, name = '']) => name);
      const known = textOf(root, 'package.json') ?? '';
      return (
        scripts.every((name) => known.includes(`"${name}": `)) &&
        paths.every((name) => existsSync(path.join(root, name)))
      );
    },
  };
}

/** Judges the repository in a folder by each check. */
export function judge(root: string, checks: Readonly<Record<string, Check>>): readonly Verdict[] {
  return Object.entries(checks).map(([criterion, check]) => {
    if ('notApplicable' in check)
      return { criterion, verdict: 'not applicable', because: check.notApplicable };
    const missing = check.filter((evidence) => !evidence.isIn(root));
    const of = missing.length > 0 ? missing : check;
    return {
      criterion,
      verdict: missing.length > 0 ? 'fail' : 'pass',
      because: of.map(({ what }) => what).join('; '),
    };
  });
}

/** The share of the applicable criteria that pass, from 0 to 1. */
export function shareOf(verdicts: readonly Verdict[]): number {
  const applicable = verdicts.filter(({ verdict }) => verdict !== 'not applicable');
  return applicable.filter(({ verdict }) => verdict === 'pass').length / applicable.length;
}
