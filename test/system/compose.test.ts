import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { waitFor } from '../support/wait-for.ts';
import { type Project, readProject } from './compose.ts';
import { REPOSITORY } from './image.ts';
import { createPrograms, written } from './programs.ts';
import { requireTool } from './tools.ts';

const dashboard = z.looseObject({
  uid: z.string(),
  templating: z.object({
    list: z.array(z.looseObject({ name: z.string(), type: z.string(), query: z.unknown() })),
  }),
});

/** An environment without the variables that have no value. */
function textsOf(environment: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? '']));
}

describe.runIf(requireTool('docker-compose'))('compose.yaml', () => {
  const programs = createPrograms();
  let compose: Project;

  beforeAll(async () => {
    compose = await readProject(programs);
  });

  test('mounts files that exist', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const bound = mounts.filter(({ type }) => type === 'bind').map(({ source }) => source);
    expect(bound.length).toBeGreaterThan(5);
    expect(bound.filter((path) => !existsSync(path))).toEqual([]);
    const named = mounts.filter(({ type }) => type === 'volume').map(({ source }) => source);
    expect(named.filter((name) => !compose.volumes.includes(name))).toEqual([]);
  });

  test('uses images with stated versions, and opens ports to this machine only', () => {
    for (const { image, ports = [] } of Object.values(compose.services)) {
      expect(image).toMatch(/^agent-platform-exporter:local$|:v?\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/);
      expect(ports.map(({ host_ip }) => host_ip).filter((host) => host !== '127.0.0.1')).toEqual([]);
    }
  });

  test('runs the exporter without privileges, on a read-only file system', () => {
    for (const name of ['exporter', 'past', 'platform', 'copilot', 'claude', 'sessions']) {
      expect(compose.service(name)).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
  });

  test('checks the health of no service of the image but the exporter', () => {
    for (const name of ['past', 'platform', 'copilot', 'claude', 'sessions']) {
      expect(compose.service(name)).toMatchObject({ healthcheck: { disable: true } });
    }
  });

  test('shows the simulated platforms by default', async () => {
    const { environment = {}, command } = compose.service('exporter');
    expect(command).toEqual(['serve']);
    const file = environment['AGENT_PLATFORM_CONFIG_FILE'] ?? '';
    const there = join(compose.mounted('exporter', dirname(file)), 'demo.yml');
    const check = programs.exporter(['check-config', `--config.file=${there}`], textsOf(environment));
    expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
    for (const [name, listen, org] of [
      ['platform', ':9890', 'ACME'],
      ['copilot', '127.0.0.1:9891', 'ACME_COPILOT'],
      ['claude', ':9893', 'ACME_CLAUDE'],
    ]) {
      const given = compose.service(name ?? '').command ?? [];
      expect(given).toContain(`--listen-address=${listen}`);
      const there = given.map((flag) => flag.replace(/(?<flag>listen-address=).*/, '$<flag>127.0.0.1:0'));
      const platform = programs.exporter(there);
      await written(platform, 'stdout', /(Ctrl-C)/);
      expect(platform.stdout()).toContain(environment[`SIMULATED_KEY_OF_${org}`]);
    }
  });

  test('lets the exporter and the backfill follow the links of the simulated Copilot, which are of their own machine', () => {
    for (const name of ['copilot', 'past'])
      expect(compose.service(name)).toMatchObject({ network_mode: 'service:exporter' });
  });

  test('simulates sessions for the demo, and none for a real organization', async () => {
    const { command, environment = {} } = compose.service('sessions');
    const script = join(compose.mounted('sessions', '/etc/agent-platform-exporter'), 'sessions.mjs');
    const [url = ''] = command ?? [];
    expect(url).toBe('http://exporter:9889/hooks/events');
    const token = compose.service('exporter').environment?.['AGENT_PLATFORM_HOOKS_TOKEN'] ?? '';
    expect(environment['AGENT_PLATFORM_HOOKS_TOKEN']).toBe(token);
    const received: (string | undefined)[] = [];
    const intake = createServer((request, response) => {
      received.push(request.headers.authorization);
      request.resume().on('end', () => response.end());
    });
    onTestFinished(() => intake.closeAllConnections());
    await once(intake.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void intake.close());
    const at = `http://127.0.0.1:${(intake.address() as AddressInfo).port}`;
    const own = { ...environment, AGENT_PLATFORM_CONFIG_FILE: '' };
    const ended = await programs.run(process.execPath, [script, at], { environment: textsOf(own) });
    expect([ended.code, received]).toEqual([0, []]);
    programs.start(process.execPath, [script, at], { environment: textsOf(environment) });
    await waitFor(() => expect(received.length).toBeGreaterThan(5));
    expect(new Set(received)).toEqual(new Set([`Bearer ${token}`]));
  });

  test('polls another platform if .env names one', async () => {
    const example = readFileSync(join(REPOSITORY, '.env.example'), 'utf8');
    const own = example.replace('AGENT_PLATFORM_API_KEY=', 'AGENT_PLATFORM_API_KEY=own-key');
    const { services } = await readProject(programs, own);
    for (const name of ['exporter', 'past']) {
      const given = services[name]?.environment ?? {};
      expect(given).toMatchObject({ AGENT_PLATFORM_CONFIG_FILE: '', AGENT_PLATFORM_API_KEY: 'own-key' });
      const environment = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value ?? '']));
      const check = programs.exporter(['check-config'], environment);
      expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
      expect(check.stdout()).toContain('api.example.com');
    }
  });

  test.each(['', '/etc/agent-platform-exporter/exporter.yml'])(
    'leaves out the token and the key of the simulation with the configuration file "%s"',
    async (file) => {
      const { services } = await readProject(programs, `AGENT_PLATFORM_CONFIG_FILE=${file}\n`);
      for (const name of ['exporter', 'past', 'sessions']) {
        const given = services[name]?.environment ?? {};
        expect(given).toHaveProperty('AGENT_PLATFORM_CONFIG_FILE', file);
        expect(given).not.toHaveProperty('AGENT_PLATFORM_HOOKS_TOKEN');
        expect(given).not.toHaveProperty('AGENT_PLATFORM_USERS_HASH_KEY');
      }
    },
  );

  test('starts PostgreSQL with its profile, which the exporter then uses instead of a file', async () => {
    expect(Object.keys(compose.services)).not.toContain('postgres');
    expect(compose.service('exporter').environment).not.toHaveProperty('AGENT_PLATFORM_STORAGE_URL');
    const simulated = await readProject(programs, 'COMPOSE_PROFILES=database\n');
    const given = simulated.service('exporter').environment ?? {};
    const { username, password, hostname, pathname } = new URL(given['AGENT_PLATFORM_STORAGE_URL'] ?? '');
    expect(simulated.service(hostname).environment).toMatchObject({
      POSTGRES_USER: username,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: pathname.slice(1),
    });
    expect(simulated.service('postgres').ports).toBeUndefined();
    expect(simulated.volumes).toContain('postgres');
    for (const name of ['exporter', 'past']) {
      const environment = textsOf({ ...simulated.service(name).environment, AGENT_PLATFORM_CONFIG_FILE: '' });
      const file = join(simulated.mounted(name, '/etc/agent-platform-exporter'), 'demo.yml');
      const check = programs.exporter(['check-config', `--config.file=${file}`], environment);
      expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
    }
  });

  test('with an own organization and the profile, the database has the password of .env only', async () => {
    const example = readFileSync(join(REPOSITORY, '.env.example'), 'utf8');
    const own = example
      .replace('AGENT_PLATFORM_API_KEY=', 'AGENT_PLATFORM_API_KEY=own-key')
      .replaceAll(/^#(?=COMPOSE_PROFILES|POSTGRES|AGENT_PLATFORM_STORAGE)/gm, '')
      .replace('POSTGRES_PASSWORD=', 'POSTGRES_PASSWORD=own-password')
      .replace(':PASSWORD@', ':own-password@');
    const { services } = await readProject(programs, own);
    const database = services['postgres']?.environment ?? {};
    expect(database).toEqual({
      POSTGRES_USER: 'exporter',
      POSTGRES_DB: 'exporter',
      POSTGRES_PASSWORD: 'own-password',
    });
    const given = services['exporter']?.environment ?? {};
    expect(given['AGENT_PLATFORM_STORAGE_URL']).toBe('postgres://exporter:own-password@postgres/exporter');
    expect(given['AGENT_PLATFORM_STORAGE_PATH']).toBe('');
    const check = programs.exporter(['check-config'], textsOf(given));
    expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  });

  test('backfills history under the labels of the live target', () => {
    const prometheus = parse(
      readFileSync(compose.mounted('prometheus', '/etc/prometheus/prometheus.yml'), 'utf8'),
    );
    const [job] = prometheus.scrape_configs;
    const labels = [`--label=job=${job.job_name}`, `--label=instance=${job.static_configs[0].targets[0]}`];
    expect(compose.service('past').command).toEqual(expect.arrayContaining(labels));
    expect(compose.service('prometheus').command).toContain('--web.enable-remote-write-receiver');
  });

  test.runIf(requireTool('promtool'))('gives Prometheus a valid configuration, with rules', async () => {
    const folder = programs.folder();
    const rules = '/etc/prometheus/rules/agent-platform-exporter.rules.yaml';
    await mkdir(join(folder, 'rules'));
    await cp(compose.mounted('prometheus', rules), join(folder, 'rules/agent-platform-exporter.rules.yaml'));
    const text = readFileSync(compose.mounted('prometheus', '/etc/prometheus/prometheus.yml'), 'utf8');
    const file = join(folder, 'prometheus.yml');
    await writeFile(file, text.replaceAll('/etc/prometheus', folder));
    const { code, stdout, stderr } = await programs.run('promtool', ['check', 'config', file]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/SUCCESS: \d\d rules found/);
  });

  test.runIf(requireTool('amtool'))('gives Alertmanager a valid configuration', async () => {
    const file = compose.mounted('alertmanager', '/etc/alertmanager/alertmanager.yml');
    const { code, stdout } = await programs.run('amtool', ['check-config', file]);
    expect(code).toBe(0);
    expect(stdout).toContain('SUCCESS');
  });

  test('lets Grafana find the datasource and every dashboard', () => {
    const provisioning = compose.mounted('grafana', '/etc/grafana/provisioning');
    const { datasources } = parse(readFileSync(join(provisioning, 'datasources/prometheus.yml'), 'utf8'));
    expect(datasources).toMatchObject([
      { type: 'prometheus', isDefault: true, url: 'http://prometheus:9090' },
    ]);
    const { providers } = parse(readFileSync(join(provisioning, 'dashboards/agent-platform.yml'), 'utf8'));
    const values = parse(readFileSync(join(REPOSITORY, 'helm/values.yaml'), 'utf8'));
    expect(providers).toMatchObject([{ folder: values.dashboards.folder, type: 'file' }]);

    const folder = compose.mounted('grafana', providers[0].options.path);
    const files = globSync('**/*.json', { cwd: folder });
    const dashboards = files.map((file) =>
      dashboard.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
    );
    expect(dashboards.length).toBeGreaterThan(1);
    // Grafana loads only one of two with the same uid, and reports that only in its log.
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    for (const { templating, uid } of dashboards) {
      const [datasource] = templating.list.filter(({ type }) => type === 'datasource');
      expect([uid, datasource?.query]).toEqual([uid, datasources[0].type]);
    }
    const home = compose.service('grafana').environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'] ?? '';
    expect(files).toContain(home.slice(`${providers[0].options.path}/`.length));
  });
});
