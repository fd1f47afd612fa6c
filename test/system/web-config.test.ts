import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { hashSync } from 'bcryptjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import { createPrograms, type Program, type Programs, written } from './programs.ts';
import { requireTool } from './tools.ts';

const hasTools = ['openssl', 'curl', 'prometheus'].map(requireTool).every(Boolean);
const PASSWORD = 'a password';

/** Creates an authority, and certificates signed by it, with openssl. */
async function createAuthority(programs: Programs, folder: string) {
  const at = (name: string) => join(folder, name);
  async function openssl(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await programs.run('openssl', args);
    expect(code, stderr).toBe(0);
  }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-subj',
    '/CN=authority',
    '-days',
    '2',
  );

  return async function issue(name: string, subject: string, extensions: string): Promise<void> {
    await writeFile(at(`${name}.ext`), extensions);
    await openssl(
      'req',
      ...key,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.csr`),
      '-subj',
      `/CN=${subject}`,
    );
    const signing = [
      '-CA',
      at('ca.crt'),
      '-CAkey',
      at('ca.key'),
      '-extfile',
      at(`${name}.ext`),
      '-days',
      '2',
    ];
    await openssl(
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      '-CAcreateserial',
      ...signing,
      '-out',
      at(`${name}.crt`),
    );
  };
}

const OF_SERVER = 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n';
const OF_CLIENT = 'subjectAltName=URI:spiffe://example/prometheus\nextendedKeyUsage=clientAuth\n';

describe.runIf(hasTools)('behind client certificates and a password', () => {
  const programs = createPrograms();
  let folder = '';
  let exporter: Program;
  let url = '';
  let prometheus = '';
  let issue: Awaited<ReturnType<typeof createAuthority>>;
  const at = (name: string) => join(folder, name);

  async function query(expression: string): Promise<readonly number[]> {
    const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
    return data.result.map(({ value }) => Number(value[1]));
  }

  async function curl(...args: readonly string[]) {
    const common = ['--silent', '--show-error', '--cacert', at('ca.crt'), '--write-out', '\n%{http_code}'];
    return programs.run('curl', [...common, ...args]);
  }
  const withCertificate = () => ['--cert', at('client.crt'), '--key', at('client.key')];
  const withPassword = ['--user', `prometheus:${PASSWORD}`];

  beforeAll(async () => {
    folder = programs.folder();
    issue = await createAuthority(programs, folder);
    await issue('server', 'server', OF_SERVER);
    await issue('client', 'client', OF_CLIENT);
    await issue('other', 'other', OF_CLIENT.replace('prometheus', 'other'));
    await writeFile(
      at('web.yml'),
      `tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: ca.crt
  client_allowed_sans: ["spiffe://example/prometheus"]
  min_version: TLS13
http_server_config:
  headers: {Strict-Transport-Security: max-age=31536000}
basic_auth_users:
  prometheus: ${hashSync(PASSWORD, 10)}
`,
    );
    exporter = programs.exporter([
      'demo',
      '--web.listen-address=127.0.0.1:0',
      `--web.config.file=${at('web.yml')}`,
    ]);
    url = await written(exporter, 'stdout', /status +(https:\S+)\//);
    await writeFile(
      at('prometheus.yml'),
      `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: agent-platform
    scheme: https
    tls_config: {ca_file: ca.crt, cert_file: client.crt, key_file: client.key}
    basic_auth: {username: prometheus, password: "${PASSWORD}"}
    static_configs: [{targets: ['${new URL(url).host}']}]
`,
    );
    const port = await freePort();
    prometheus = `http://127.0.0.1:${port}`;
    programs.start('prometheus', [
      `--config.file=${at('prometheus.yml')}`,
      `--storage.tsdb.path=${at('data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    await waitFor(async () => expect(await query('up')).toEqual([1]));
  });

  test('Prometheus scrapes', async () => {
    await waitFor(async () =>
      expect(await query('agent_platform_daily_credits{org="acme"}')).toHaveLength(1),
    );
  });

  test('curl reads the page with both, compressed', async () => {
    const { code, stdout } = await curl(
      ...withCertificate(),
      ...withPassword,
      '--compressed',
      `${url}/metrics`,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nagent_platform_exporter_build_info\{/);
    expect(stdout).toMatch(/\n200$/);
  });

  test('curl gets nothing without a certificate, or with one of another name', async () => {
    for (const path of ['/metrics', '/', '/-/healthy']) {
      const without = await curl(...withPassword, url + path);
      expect(without.code).not.toBe(0);
      expect(without.stdout).toBe('\n000');
    }
    const certificate = ['--cert', at('other.crt'), '--key', at('other.key')];
    expect((await curl(...certificate, ...withPassword, `${url}/metrics`)).stdout).toBe('\n000');
  });

  test('curl gets 401 without the password, on every route', async () => {
    for (const path of ['/metrics', '/', '/status', '/-/healthy', '/-/ready', '/nowhere']) {
      const { stdout } = await curl(...withCertificate(), '--include', url + path);
      expect(stdout).toMatch(/\n401$/);
      expect(stdout).toMatch(/^Strict-Transport-Security: max-age=31536000\r$/m);
      expect(stdout).not.toContain('agent_platform_');
    }
    expect((await curl(...withCertificate(), '--user', 'prometheus:wrong', `${url}/metrics`)).stdout).toMatch(
      /\n401$/,
    );
  });

  test('curl gets no older TLS than the file allows, and no plain HTTP', async () => {
    const older = await curl(...withCertificate(), ...withPassword, '--tls-max', '1.2', `${url}/metrics`);
    expect(older.stdout).toBe('\n000');
    expect((await curl(...withPassword, `${url.replace('https', 'http')}/metrics`)).stdout).toBe('\n000');
  });

  test('the health check of a container works', async () => {
    const place = `--web.listen-address=127.0.0.1:${new URL(url).port}`;
    const checked = programs.exporter(['healthcheck', place, `--web.config.file=${at('web.yml')}`]);
    expect((await checked.ended).code).toBe(0);
    expect(checked.stdout()).toBe('healthy\n');
  });

  test('a certificate rotation under load costs not a single scrape', async () => {
    const seen = new Map<string, number>();
    const failures: unknown[] = [];
    const ends = new AbortController();

    async function scrape(agent: Agent): Promise<void> {
      const request = get(`${url}/metrics`, {
        agent,
        ca: readFileSync(at('ca.crt')),
        cert: readFileSync(at('client.crt')),
        key: readFileSync(at('client.key')),
        auth: `prometheus:${PASSWORD}`,
        headers: { 'accept-encoding': 'gzip' },
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const name = String((response.socket as TLSSocket).getPeerCertificate().subject.CN);
      const body = Buffer.concat(await response.toArray());
      if (response.statusCode !== 200 || body.length < 1_000)
        throw new Error(`answered ${response.statusCode}`);
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }

    /** An agent that keeps its connection, or opens a new one each time. */
    async function load(keepAlive: boolean): Promise<void> {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      while (!ends.signal.aborted) await scrape(agent).catch((error: unknown) => failures.push(error));
      agent.destroy();
    }

    const loads = Promise.all([load(true), load(true), load(false), load(false)]);
    try {
      for (const name of ['second', 'third']) {
        await issue(name, name, OF_SERVER);
        // One after the other, as most tools do.
        await writeFile(at('server.crt'), readFileSync(at(`${name}.crt`)));
        await writeFile(at('server.key'), readFileSync(at(`${name}.key`)));
        await waitFor(() => expect(seen.get(name) ?? 0).toBeGreaterThan(50));
      }
    } finally {
      ends.abort();
      await loads;
    }
    expect(failures).toEqual([]);
    expect([...seen.keys()]).toEqual(['server', 'second', 'third']);
    // A scrape that took the whole second shows how busy the machine is; any other failure is one too many.
    expect(await query('count_over_time((up == 0 and scrape_duration_seconds < 1)[1h:1s])')).toEqual([]);
    expect(await query('count_over_time(up[1h])')).not.toEqual([0]);
    expect(exporter.stderr()).not.toMatch(/level=(error|warn)/);
  });

  test('a file that becomes invalid at run time is reported once and changes nothing', async () => {
    const before = readFileSync(at('web.yml'), 'utf8');
    await writeFile(at('web.yml'), before.replace('RequireAndVerifyClientCert', 'RequireAndVerifyCert'));
    await waitFor(() => expect(exporter.stderr()).toMatch(/level=error .*client_auth_type/));
    const answered = await curl(...withCertificate(), ...withPassword, `${url}/metrics`);
    expect(answered.stdout).toMatch(/\n200$/);
    const good = 'agent_platform_exporter_config_last_reload_successful';
    await waitFor(async () => expect(await query(good)).toEqual([0]));
    await writeFile(at('web.yml'), before);
    await waitFor(async () => expect(await query(good)).toEqual([1]));
    expect(exporter.stderr().match(/level=error/g)).toHaveLength(1);
  });

  test('it refuses to start with a broken file, in two lines and with exit code 2', async () => {
    await writeFile(at('broken.yml'), 'tls_server_config: {cert_file: server.crt, key_file: client.key}\n');
    const refused = programs.exporter([
      'demo',
      '--web.listen-address=127.0.0.1:0',
      `--web.config.file=${at('broken.yml')}`,
    ]);
    expect((await refused.ended).code).toBe(2);
    expect(refused.stdout()).toBe('');
    expect(refused.stderr()).toBe(
      `agent-platform-exporter: ${at('broken.yml')}:1: tls_server_config.key_file: does not match the certificate\n`,
    );
  });

  test('it stops on request, although Prometheus keeps its connection', async () => {
    exporter.send('SIGTERM');
    expect(await exporter.ended).toEqual({ code: 0, signal: null });
  });
});
