import { type Project, placeholders } from '../project/project.ts';

/** The facts that decide about a release. */
interface ReleaseInput {
  /** Such as `v1.2.3`. */
  readonly tag: string;
  /** Of package.json. */
  readonly version: string;
  readonly changelog: string;
  readonly project: Project;
}

/** Every reason why this tag cannot be released, as sentences; empty if it can. */
export function releaseProblems({ tag, version, changelog, project }: ReleaseInput): readonly string[] {
  const problems: string[] = [];
  if (tag !== `v${version}`) problems.push(`the tag is ${tag}, but package.json has version ${version}`);
  if (releaseNotes(changelog, version) === undefined)
    problems.push(`CHANGELOG.md has no section "## [${version}] - DATE", or it is empty`);
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

/** The image's tags: `1.2.3`, `1.2` and `1`; a pre-release only has its own, and the others do not move to it. */
export function imageTags(version: string): readonly string[] {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+$/.exec(version) ?? [];
  return major === undefined || minor === undefined ? [version] : [version, `${major}.${minor}`, major];
}

/** The lines of a checksum file, in the format of `sha256sum --check`. */
export function checksumLines(sums: ReadonlyMap<string, string>): string {
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, sum]) => `${sum}  ${file}\n`)
    .join('');
}
