import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHttpServer } from '../../src/server/http-server.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { loadWebSettings } from '../../src/web-config/load.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { propertyRuns } from '../support/thoroughness.ts';
import { caseFiles, withFiles } from './folder.ts';
import { FILE, startWorld, tlsFile } from './world.ts';

describe('whatever the file contains', () => {
  const directory = new URL('cases/', import.meta.url);
  const files = caseFiles();
  const cases = readdirSync(directory).map((name) => readFileSync(new URL(name, directory), 'utf8'));
  const beside = Object.entries(files).map(([name, text]) => [`/etc/exporter/${name}`, text] as const);

  /** The text of a case, cut and mixed with that of another and with characters that have a meaning in YAML. */
  const mixed = fc
    .tuple(
      fc.constantFrom(...cases),
      fc.constantFrom(...cases),
      fc.nat(300),
      fc.nat(300),
      fc.string({
        unit: fc.constantFrom(...'{}[]:,&*!|>\'"%@`#-? \n\t\0éa1') as fc.Arbitrary<string>,
        maxLength: 12,
      }),
    )
    .map(([one, other, from, to, between]) => one.slice(0, from) + between + other.slice(to));

  test('it is parsed, or rejected in one line without any of its secrets', async () => {
    await fc.assert(
      fc.asyncProperty(mixed, async (text) => {
        const yaml = withFiles(text, files);
        const content = new Map<string, string | Error>([...beside, [FILE, yaml]]);
        const error = await loadWebSettings(FILE, createFakeFiles(content)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error === undefined) return;
        expect(error).toBeInstanceOf(ConfigError);
        const { message } = error as ConfigError;
        expect(message).not.toContain('\n');
        expect(message).not.toMatch(/\$2[aby]\$\d\d\$.|-----BEGIN/);
      }),
      { numRuns: propertyRuns(1_500) },
    );
  });
});

describe('clients that only hold their connections', () => {
  /** Connects and sends this; resolves once connected. */
  function hold(port: number, text: Buffer | string): Promise<{ closed: Promise<unknown>; end(): void }> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(text);
        resolve({ closed: new Promise((done) => socket.once('close', done)), end: () => socket.destroy() });
      });
      socket.on('error', reject);
      // With an unread answer, a socket never tells that it was closed.
      socket.resume();
    });
  }

  /** The beginning of a handshake that is never continued. */
  const HALF = Buffer.from('16030100c8010000c40303', 'hex');

  test('in the middle of a handshake do not block others', async () => {
    const { ask, port } = await startWorld(tlsFile());
    const holding = await Promise.all(Array.from({ length: 150 }, () => hold(port, HALF)));
    expect((await ask()).status).toBe(200);
    for (const { end } of holding) end();
  });

  test('do not delay shutdown, wherever in a connection they stopped', async () => {
    const { web } = await startWorld(tlsFile());
    const http = createHttpServer({
      ...web.serve((_, response) => response.end()),
      clock: createSystemClock(),
      maxConnections: 100,
    });
    const { port } = await http.listen({ host: '127.0.0.1', port: 0 });
    const silent = await hold(port, '');
    const half = await hold(port, HALF);
    const noise = await hold(port, randomBytes(200));
    // A version of TLS, whatever the rest is: this is answered.
    const refused = await hold(port, Buffer.concat([Buffer.from('440302', 'hex'), randomBytes(197)]));
    const secure = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await new Promise((resolve) => secure.once('secureConnect', resolve));
    await http.close(500);
    await Promise.all([silent.closed, half.closed, noise.closed, refused.closed]);
    secure.destroy();
  });
});
