import { randomBytes } from 'node:crypto';
import { chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../bench/programs.ts';
import { API_SERVER } from '../../scripts/cluster/kube-apiserver.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Program, Programs } from '../system/programs.ts';

const NOBODY = 65_534;
/** May do everything. */
const GROUP = 'system:masters';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, whose shape each test states.
  readonly body: any;
}

/** An API server of Kubernetes with its store and nothing else: no controller, no scheduler, no node. */
export interface ControlPlane {
  readonly kubeconfig: string;
  /** Resolves with the answer, whatever its status. */
  request(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Starts etcd and the API server, both unprivileged and on loopback; they are stopped after the test file. */
export async function startControlPlane(programs: Programs): Promise<ControlPlane> {
  const folder = programs.folder();
  const file = (name: string) => join(folder, name);
  const token = randomBytes(16).toString('hex');
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  // An unprivileged user cannot read the cache in another user's home.
  copyFileSync(API_SERVER, file('kube-apiserver'));
  writeFileSync(file('tokens.csv'), `${token},tests,1,"${GROUP}"\n`);
  const key = await programs.run('openssl', ['genrsa', '-out', file('service-accounts.key'), '2048']);
  if (key.code !== 0) throw new Error(key.stderr);
  for (const name of ['etcd', 'certificates']) mkdirSync(file(name), { mode: 0o700 });
  if (process.getuid?.() === 0)
    for (const name of ['', 'etcd', 'certificates', 'tokens.csv', 'service-accounts.key'])
      chownSync(file(name), NOBODY, NOBODY);

  const etcd = unprivileged(programs, 'etcd', [
    `--data-dir=${file('etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    '--unsafe-no-fsync',
  ]);
  const server = unprivileged(programs, file('kube-apiserver'), [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${file('certificates')}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('service-accounts.key')}`,
    `--service-account-signing-key-file=${file('service-accounts.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24,fd00::/112',
    // It rejects pods until a controller, which does not run here, has created a service account.
    '--disable-admission-plugins=ServiceAccount',
    // Loopback is not an address to announce to other servers.
    '--endpoint-reconciler-type=none',
  ]);

  async function send(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    };
    const ca = readFileSync(join(file('certificates'), 'apiserver.crt'));
    const asked = request({ host: '127.0.0.1', port, ca, method, path, headers, agent: false });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    const answer = await new Promise<Answer>((resolve, reject) => {
      asked.on('error', reject);
      asked.on('response', (response) => {
        text(response)
          .then((body) => resolve({ status: response.statusCode ?? 0, body: parsed(body) }))
          .catch(reject);
      });
    });
    return answer;
  }

  await waitFor(async () => {
    const ended = [etcd, server].find((program) => program.ending() !== undefined);
    if (ended === undefined && (await send('GET', '/readyz')).status !== 200) return false;
    return { ended };
  }).then(({ ended }) => {
    if (ended !== undefined) throw new Error(`ended: ${ended.stderr().slice(-2000)}`);
  });
  const kubeconfig = file('kubeconfig');
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    'certificate-authority': join(file('certificates'), 'apiserver.crt'),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'tests', cluster }],
    users: [{ name: 'tests', user: { token } }],
    contexts: [{ name: 'tests', context: { cluster: 'tests', user: 'tests' } }],
    'current-context': 'tests',
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  return { kubeconfig, request: send };
}

function unprivileged(programs: Programs, command: string, args: readonly string[]): Program {
  if (process.getuid?.() !== 0) return programs.start(command, args);
  const nobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'];
  return programs.start('setpriv', [...nobody, command, ...args]);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
