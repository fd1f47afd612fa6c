import { type Project, placeholders } from '../project/project.ts';

const numerically = new Intl.Collator('en', { numeric: true });

/** The facts that decide about a release. */
interface ReleaseInput {
  /** Such as `v1.2.3`. */
  readonly tag: string;
  /** Of package.json. */
  readonly version: string;
  readonly changelog: string;
  readonly project: Project;
  /** The URL of the repository that releases; unknown outside a forge. */
  readonly repository: string | undefined;
  /** The versions that npm has, candidates included. */
  readonly published: readonly string[];
}

/** Where a version is published, and under which names that move. */
export interface Channels {
  /** The image's tags, the exact one first. */
  readonly tags: readonly string[];
  /** npm's tag for what is installed by that name. */
  readonly distTag: string;
  readonly isCandidate: boolean;
  /** Whether the forge shows it as the newest release. */
  readonly isLatest: boolean;
}

/** Every reason why this tag cannot be released, as sentences; empty if it can. */
export function releaseProblems(input: ReleaseInput): readonly string[] {
  const { tag, version, changelog, project, repository, published } = input;
  const problems: string[] = [];
  if (!/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version))
    problems.push(`the version ${version} is neither like 1.2.3 nor like 1.2.3-rc.1`);
  const newer = newestOf(version, published, lineOf(version));
  if (newer !== undefined && order(newer, version) >= 0)
    problems.push(`npm has version ${newer}, and ${version} is not newer`);
  if (repository !== undefined && repository !== project.repository)
    problems.push(`this is ${repository}, but project.json has ${project.repository}`);
  if (tag !== `v${version}`) problems.push(`the tag is ${tag}, but package.json has version ${version}`);
  if (releaseNotes(changelog, version) === undefined)
    problems.push(`CHANGELOG.md has no section "## [${version}] - DATE", or it is empty`);
  if (project.charts.split('/')[0] !== project.image.split('/')[0])
    problems.push(
      'project.json: image and charts are in different registries, and the release logs in to one',
    );
  const open = placeholders(project);
  if (open.length > 0)
    problems.push(
      `project.json: ${open.join(', ')} ${open.length === 1 ? 'is' : 'are'} still a placeholder; put the public addresses there, run \`npm run generate\` and commit what changed`,
    );
  return problems;
}

/** The changelog's section of a version, without its heading. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^(?=## \[)/m);
  const own = sections.find((section) =>
    new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-`).test(section),
  );
  const text = own?.replace(/^.*\n/, '').trim();
  return text === undefined || text === '' ? undefined : `${text}\n`;
}

/**
 * The names that a version gets beside those that are published. A name moves to the newest of its line only: `1` stays
 * where it is if 1.3.0 exists and 1.2.4 is released. A candidate moves no name of a release.
 */
export function channelsOf(version: string, published: readonly string[]): Channels {
  const isCandidate = version.includes('-');
  const line = lineOf(version);
  const [major = ''] = line.split('.');
  const leads = (prefix: string) => {
    const newest = newestOf(version, published, prefix);
    return newest === undefined || order(newest, version) < 0;
  };
  const name = isCandidate ? 'next' : 'latest';
  const within = leads(`${major}.`) ? major : line.slice(0, -1);
  return {
    tags: isCandidate ? [version] : [...new Set([version, line.slice(0, -1), within])],
    distTag: leads('') ? name : `${name}-${within}`,
    isCandidate,
    isLatest: !isCandidate && leads(''),
  };
}

/** `1.2.` of 1.2.3. */
function lineOf(version: string): string {
  return version.replace(/[^.]*(?:-.*)?$/, '');
}

/** The newest published version with a prefix; candidates count for candidates alone. */
function newestOf(version: string, published: readonly string[], prefix: string): string | undefined {
  return published
    .filter((other) => other.startsWith(prefix) && (version.includes('-') || !other.includes('-')))
    .toSorted(order)
    .at(-1);
}

/** By precedence of semantic versions: numbers as such, and a candidate before its release. */
function order(left: string, right: string): number {
  const [a = '', b = ''] = [left, right].map((version) => (version.includes('-') ? version : `${version}~`));
  return numerically.compare(a, b);
}

/** The lines of a checksum file, in the format of `sha256sum --check`. */
export function checksumLines(sums: ReadonlyMap<string, string>): string {
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, sum]) => `${sum}  ${file}\n`)
    .join('');
}
