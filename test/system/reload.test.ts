import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Page, readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { startPlatform } from './platform.ts';
import { createPrograms, type Program, written } from './programs.ts';

const SUCCESSFUL = 'agent_platform_exporter_config_last_reload_successful';
const SUCCESS = 'agent_platform_exporter_collector_success';

describe('a running exporter follows its files', () => {
  const programs = createPrograms();
  let folder = '';
  let file = '';
  let url = '';
  let platform = '';
  let program: Program;
  let failedScrapes = 0;

  async function page(): Promise<Page> {
    return readPage(await (await fetch(`${url}/metrics`)).text());
  }

  async function orgs(): Promise<readonly string[]> {
    return Object.keys((await page()).by('org', SUCCESS, { collector: 'wiki' })).toSorted();
  }

  /** Writes a version of the configuration as Kubernetes does: the file is a link, and its target is replaced. */
  async function write(version: string, names: readonly string[], more = ''): Promise<void> {
    const directory = join(folder, version);
    await mkdir(directory);
    const list = names.map(
      (name) => `  - {name: ${name}, base_url: "${platform}", api_key_file: ${folder}/${name}}\n`,
    );
    await writeFile(
      join(directory, 'exporter.yml'),
      `orgs:\n${list.join('')}api: {requests_per_second: 200}\n${more}`,
    );
    await symlink(directory, join(folder, 'next'));
    await rename(join(folder, 'next'), join(folder, 'current'));
  }

  beforeAll(async () => {
    platform = (await startPlatform(programs, ['--orgs=3', '--users=5', '--repos=2', '--days=20'])).url;
    folder = programs.folder();
    for (const name of ['acme', 'globex', 'initech']) {
      await writeFile(join(folder, name), `sandbox-${name}-owner`);
    }
    await write('first', ['acme']);
    await symlink(join(folder, 'current', 'exporter.yml'), join(folder, 'exporter.yml'));
    file = join(folder, 'exporter.yml');
    program = programs.exporter([
      ...['serve', '--web.listen-address=127.0.0.1:0', `--config.file=${file}`, '--config.watch'],
      ...['--web.enable-lifecycle', '--storage.path=:memory:'],
    ]);
    url = `http://127.0.0.1:${await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/)}`;
    await waitFor(async () => expect(await orgs()).toEqual(['acme']));
    // A run's success is published at once, its figures with the next publication.
    await waitFor(async () =>
      expect((await page()).find('agent_platform_daily_credits', { org: 'acme' })).toHaveLength(1),
    );
    const scraping = setInterval(() => {
      page().then(
        (now) => {
          if (now.find('agent_platform_daily_credits', { org: 'acme' }).length !== 1) failedScrapes += 1;
        },
        () => {
          if (program.ending() === undefined) failedScrapes += 1;
        },
      );
    }, 50);
    return () => clearInterval(scraping);
  });

  test('when the file changes', async () => {
    await write('second', ['acme', 'globex']);
    await waitFor(async () => expect(await orgs()).toEqual(['acme', 'globex']));
  });

  test('on SIGHUP, and a file that cannot be used changes nothing', async () => {
    await write('third', ['acme', 'initech'], 'schedule: {wiki: never}\n');
    program.send('SIGHUP');
    await waitFor(async () => expect((await page()).value(SUCCESSFUL)).toBe(0));
    expect(await orgs()).toEqual(['acme', 'globex']);
    expect(program.stderr()).toMatch(/level=error .*schedule\.wiki/);
    await write('fourth', ['acme', 'initech']);
    program.send('SIGHUP');
    await waitFor(async () => expect(await orgs()).toEqual(['acme', 'initech']));
    // A new organization may be on the page before the reload has ended.
    await waitFor(async () => expect((await page()).value(SUCCESSFUL)).toBe(1));
  });

  test('on POST /-/reload, ten at a time', async () => {
    await write('fifth', ['acme', 'globex', 'initech']);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => (await fetch(`${url}/-/reload`, { method: 'POST' })).status),
    );
    expect(answers).toEqual(answers.map(() => 200));
    await waitFor(async () => expect(await orgs()).toEqual(['acme', 'globex', 'initech']));
  });

  test('and uses a rotated key on the next request, without any of these', async () => {
    await writeFile(join(folder, 'globex'), 'sandbox-globex-mistyped');
    const poll = () => fetch(`${url}/-/refresh`, { method: 'POST' });
    await poll();
    await waitFor(async () =>
      expect((await page()).value(SUCCESS, { org: 'globex', collector: 'wiki' })).toBe(0),
    );
    await writeFile(join(folder, 'globex'), 'sandbox-globex-owner\n');
    await poll();
    await waitFor(async () =>
      expect((await page()).value(SUCCESS, { org: 'globex', collector: 'wiki' })).toBe(1),
    );
    expect(program.stderr()).not.toMatch(/sandbox-globex-(mistyped|owner)/);
  });

  test('without a gap for organizations whose configuration is unchanged, and stops as usual', async () => {
    expect(failedScrapes).toBe(0);
    program.send('SIGHUP');
    program.send('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr()).not.toMatch(/^\s+at /m);
  });
});
