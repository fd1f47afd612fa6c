import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, go } from './go.ts';

/** The version of Kubernetes whose API server the tests run against. */
// renovate: datasource=go depName=k8s.io/kubernetes
export const KUBERNETES = '1.33.4';
/** Helm requests the server's version, which only release builds have. */
const VERSION = 'k8s.io/component-base/version';

const folder = cached(`kube-apiserver-v${KUBERNETES}`);

/** The program in the build cache; it exists once `buildApiServer` has run. */
export const API_SERVER = join(folder, 'kube-apiserver');

/**
 * Builds the API server from the Go module proxy unless it is cached, which takes some minutes, 3 GB of memory and 3 GB
 * below GOMODCACHE and GOCACHE. Requires Go 1.24 or newer. Throws if the build fails.
 */
export function buildApiServer(log: (line: string) => void): void {
  if (existsSync(API_SERVER)) return;
  log(`building kube-apiserver ${KUBERNETES} into ${folder}: this takes minutes, once`);
  const work = join(folder, 'module');
  const partial = `${API_SERVER}.partial`;
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'go.mod'), moduleFile());
  const [major, minor] = KUBERNETES.split('.');
  const named = { gitVersion: `v${KUBERNETES}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(named).map(([name, value]) => `-X ${VERSION}.${name}=${value}`);
  const built = ['-trimpath', '-buildvcs=false', '-ldflags', ['-s -w', ...flags].join(' ')];
  go(['build', ...built, '-o', partial, 'k8s.io/kubernetes/cmd/kube-apiserver'], work);
  rmSync(work, { recursive: true });
  renameSync(partial, API_SERVER);
}

/**
 * A module that requires Kubernetes. Kubernetes replaces its own libraries with directories of its repository; as a
 * dependency it needs their published versions instead.
 */
function moduleFile(): string {
  const downloaded = go(['mod', 'download', '-json', `k8s.io/kubernetes@v${KUBERNETES}`], folder);
  const { GoMod: file } = JSON.parse(downloaded) as { readonly GoMod: string };
  const staging = readFileSync(file, 'utf8').matchAll(/^\s*(?:replace )?(\S+) => \.\/staging\//gm);
  const published = `v0${KUBERNETES.slice(KUBERNETES.indexOf('.'))}`;
  const replaced = [...staging].map(([, library]) => `replace ${library} => ${library} ${published}`);
  if (replaced.length === 0) throw new Error(`${file} replaces nothing by ./staging`);
  const required = `require k8s.io/kubernetes v${KUBERNETES}`;
  return ['module cluster', 'go 1.24.0', required, ...new Set(replaced), ''].join('\n');
}
