import { Agent } from 'node:https';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LOOK_MS, watch } from '../../src/config/followed.ts';
import { waitFor } from '../support/wait-for.ts';
import { client, FILE, HASH, startWorld, successor, tlsFile, type World } from './world.ts';

const MTLS = tlsFile(', client_ca_file: ca.crt, client_auth_type: RequireAndVerifyClientCert');

function rotate({ files }: World): void {
  files.set('/etc/exporter/server.crt', successor.certificate);
  files.set('/etc/exporter/server.key', successor.key);
}

function errors({ log }: World) {
  return log.events.filter(({ level }) => level === 'error');
}

/** Lets the watch check the files once. */
async function look(world: World): Promise<void> {
  const before = world.clock.waits.length;
  await world.clock.advance(LOOK_MS);
  await waitFor(() => expect(world.clock.waits.length).toBeGreaterThan(before));
}

async function startWatched(
  yaml: string,
): Promise<World & { readonly told: readonly (string | undefined)[] }> {
  const world = await startWorld(yaml);
  const told: (string | undefined)[] = [];
  const { web, clock, log } = world;
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const note = (_: string, problem: string | undefined) => told.push(problem);
  const watched = [{ name: 'the web configuration', look: web.reload }];
  watch(() => watched, { clock, log, signal: stopping.signal, note }).catch(() => undefined);
  return { ...world, told };
}

describe('a changed file', () => {
  test('is served to new connections, while open ones continue', async () => {
    const world = await startWatched(tlsFile());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect(await world.ask({ agent })).toMatchObject({ server: 'server', reused: false });
    rotate(world);
    await look(world);
    expect(await world.ask({ agent })).toMatchObject({ status: 200, server: 'server', reused: true });
    expect(await world.ask()).toMatchObject({ status: 200, server: 'successor' });
    expect(errors(world)).toEqual([]);
    expect(world.log.events).toContainEqual({
      level: 'info',
      message: 'Web configuration reloaded',
      fields: { file: FILE },
    });
  });

  test('changes users and headers for the next request', async () => {
    const world = await startWorld('');
    expect((await world.ask()).status).toBe(200);
    world.write(
      `basic_auth_users: {alice: ${HASH}}\nhttp_server_config: {headers: {X-Frame-Options: deny}}\n`,
    );
    expect(await world.web.reload()).toBe(true);
    expect(await world.ask()).toMatchObject({ status: 401, headers: { 'x-frame-options': 'deny' } });
    expect((await world.ask({ auth: 'alice:good' })).status).toBe(200);
    world.write('');
    expect(await world.web.reload()).toBe(true);
    expect((await world.ask()).status).toBe(200);
  });

  test('can request client certificates from then on, and no longer', async () => {
    const world = await startWorld(tlsFile());
    world.write(MTLS);
    expect(await world.web.reload()).toBe(true);
    await expect(world.ask()).rejects.toThrow();
    expect((await world.ask({ certificate: client })).status).toBe(200);
    world.write(tlsFile());
    await world.web.reload();
    expect((await world.ask()).status).toBe(200);
  });

  test('that did not change is not reloaded', async () => {
    const world = await startWorld(tlsFile());
    expect(await world.web.reload()).toBe(false);
    expect(world.log.events).toEqual([]);
  });
});

describe('a file that cannot be used', () => {
  test('changes nothing, and the caller is told at once', async () => {
    const world = await startWorld(`basic_auth_users: {alice: ${HASH}}\n`);
    world.write('basic_auth_users: {alice: planted-secret}\n');
    const problem = `${FILE}:1: basic_auth_users.alice: is not a bcrypt hash`;
    await expect(world.web.reload()).rejects.toThrow(problem);
    await expect(world.web.reload()).rejects.toThrow(problem);
    expect((await world.ask()).status).toBe(401);
    expect((await world.ask({ auth: 'alice:good' })).status).toBe(200);
  });

  test('is an error once, if it stays invalid', async () => {
    const world = await startWatched(tlsFile());
    world.files.set('/etc/exporter/server.key', successor.key);
    await look(world);
    expect(errors(world)).toEqual([]);
    for (let looks = 0; looks < 4; looks++) await look(world);
    expect(errors(world)).toMatchObject([
      {
        message: 'Watched file unusable; keeping its last good value',
        fields: {
          error: `${FILE}:1: tls_server_config.key_file: does not match the certificate`,
        },
      },
    ]);
    expect((await world.ask()).server).toBe('server');
    expect(world.told).toHaveLength(1);
    rotate(world);
    await look(world);
    expect((await world.ask()).server).toBe('successor');
    expect(world.told).toEqual([expect.stringContaining('key_file'), undefined]);
    world.files.delete('/etc/exporter/server.crt');
    await look(world);
    await look(world);
    expect(errors(world)).toHaveLength(2);
  });

  test('is not an error if the second half of a change follows', async () => {
    const world = await startWatched(tlsFile());
    world.files.set('/etc/exporter/server.crt', successor.certificate);
    await look(world);
    rotate(world);
    await look(world);
    await look(world);
    expect(errors(world)).toEqual([]);
    expect((await world.ask()).server).toBe('successor');
  });

  test('recovers by itself after it was missing', async () => {
    const world = await startWatched(tlsFile());
    world.files.delete(FILE);
    await look(world);
    await look(world);
    expect(errors(world)).toHaveLength(1);
    world.write(MTLS);
    await look(world);
    await expect(world.ask()).rejects.toThrow();
    expect((await world.ask({ certificate: client })).server).toBe('server');
  });

  test('is one that turns TLS on or off, which requires a restart', async () => {
    const plain = await startWorld('');
    plain.write(tlsFile());
    await expect(plain.web.reload()).rejects.toThrow(`${FILE} now has a tls_server_config`);
    expect((await plain.ask()).status).toBe(200);
    const secure = await startWorld(tlsFile());
    secure.write('');
    await expect(secure.web.reload()).rejects.toThrow(`${FILE} no longer has a tls_server_config`);
    expect((await secure.ask()).server).toBe('server');
    secure.write(tlsFile());
    expect(await secure.web.reload()).toBe(true);
  });
});

test('concurrent reloads run one after the other', async () => {
  const world = await startWorld('');
  world.write(`basic_auth_users: {alice: ${HASH}}\n`);
  const outcomes = await Promise.all([world.web.reload(), world.web.reload(), world.web.reload()]);
  expect(outcomes).toEqual([true, false, false]);
});
