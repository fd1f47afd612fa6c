import { firstDay } from '../calendar.ts';
import { hex, mix, unit } from '../random.ts';
import { plantedSecrets } from '../secrets.ts';
import type { Row } from '../types.ts';

const names = [
  'app',
  'web',
  'api',
  'platform',
  'mobile',
  'billing',
  'search',
  'infra',
  'docs',
  'design-system',
  'auth',
  'data-pipeline',
  'checkout',
  'gateway',
  'notifications',
  'reports',
  'scheduler',
  'sdk-python',
  'sdk-go',
  'sandbox',
];
const applications: Readonly<Record<string, string>> = {
  'apps/web': 'Customer-facing single-page application',
  'services/api': 'Public REST interface',
  'packages/ui': 'Shared component library',
  'services/worker': 'Queue consumer for background jobs',
  'packages/sdk': 'Client library for partners',
  'apps/admin': 'Back-office console for support staff',
  'services/gateway': 'Edge proxy with authentication',
};

/** The repositories of an organization, in a fixed order. */
export function createRepositories(orgName: string, orgSeed: number, count: number): readonly Repository[] {
  return Array.from({ length: count }, (_, index) =>
    createRepository(orgName, mix(orgSeed ^ 0x4e90, index), index),
  );
}

/** The address as configured on the reporting machine: the same repository has several spellings. */
export function repoUrl({ index, path }: Repository, report: number): string {
  const [host = '', ...rest] = path.split('/');
  if (index % 5 === 1 && report % 2 === 0) return `git@${host}:${rest.join('/')}.git`;
  if (index % 6 === 2) return `https://ci-bot:${plantedSecrets.repositoryToken}@${path}.git`;
  if (index % 7 === 3) return `ssh://git@${host}/${rest.join('/')}`;
  return index % 2 === 0 ? `https://${path}` : `https://${path}.git`;
}

/** Whether a `repoId` identifies this repository: by id, `owner/name`, or its URL in any spelling. */
export function isNamed(repository: Repository, repoId: string): boolean {
  const plain = repoId
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(':', '/')
    .replace(/\.git$/, '');
  return repoId === repository.id || plain === repository.path || `github.com/${plain}` === repository.path;
}

/** The `apps` member of a report. */
export function describeApps(repository: Repository): Row {
  const whole = 'The whole repository, built and shipped as one';
  return Object.fromEntries(
    repository.apps.map((path) => [path, { description: applications[path] ?? whole }]),
  );
}

export type Repository = Readonly<ReturnType<typeof createRepository>>;

function createRepository(orgName: string, seed: number, index: number) {
  const again = Math.floor(index / names.length);
  const name = `${names[index % names.length] ?? 'repo'}${again === 0 ? '' : `-${again + 1}`}`;
  const decays = index % 40 === 1 || index % 40 === 2;
  return {
    index,
    /** Accepted as `repoId`, besides any spelling of the URL. */
    id: `repo_${hex(seed)}`,
    /** Host and path, `github.com/acme/app`. */
    path: `${index % 12 === 11 ? 'gitlab.example.com' : 'github.com'}/${orgName}/${name}`,
    seed,
    branch: index % 9 === 5 ? 'master' : index % 11 === 10 ? 'trunk' : 'main',
    apps: appsOf(seed, index),
    started: decays ? firstDay : firstDay + (mix(seed, 1) % (index % 3 === 0 ? 14 : 90)),
    /** Approximate number of days between two reports. */
    cadence: decays ? 10 : 7 + (mix(seed, 2) % 8),
    /** If defined, the repository loses criteria from report to report until it is cleaned up. */
    decay: decays ? (index % 40) * 2 : undefined,
    /** The initial share of passed criteria. */
    strength: decays ? 0.9 : 0.3 + 0.5 * unit(seed, 3),
  };
}

function appsOf(seed: number, index: number): readonly string[] {
  if (index % 4 !== 0) return ['.'];
  return Object.keys(applications).slice(0, 2 + (mix(seed, 4) % 5));
}
