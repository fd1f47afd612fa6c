import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { firstCases } from '../support/thoroughness.ts';
import { waitFor } from '../support/wait-for.ts';
import { createHome, createListener, type Home, type Listener, type Ran } from './hook-process.ts';

const program = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));
const homes: Home[] = [];
let exporter: Listener;

beforeEach(async () => {
  exporter = await createListener();
});

afterEach(async () => {
  await exporter.close();
  for (const home of homes.splice(0)) home.remove();
});

function homeWith(settings?: string): Home {
  const home = createHome(settings);
  home.write('token', 'the-token\n');
  homes.push(home);
  return home;
}

function forwardingHome(more = ''): Home {
  return homeWith(
    `deadline: 30s\nforward: {url: "${exporter.url}", token_file: token, timeout: 30s}\n${more}`,
  );
}

/** Unlike all others, as two events of an agent are. */
function event(fields: object = {}): string {
  return JSON.stringify({ hook_event_name: 'Stop', session_id: 's', prompt_id: randomUUID(), ...fields });
}

function expectToLetGo(ran: Ran): void {
  expect(ran).toMatchObject({ code: 0, signal: null, stdout: '', stderr: '' });
}

/** Empty if there is none. */
function logOf(home: Home): string {
  const file = path.join(home.state, 'hook.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Whether a process handles SIGHUP, which Node itself does not: the command is ready for signals. */
function catchesHangup(pid = 0): boolean {
  const caught = /^SigCgt:\s*([\da-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

function spooled(home: Home): readonly string[] {
  return readdirSync(path.join(home.state, 'spool'));
}

describe('the hook lets the agent continue', () => {
  const unusable: [string, string, string][] = [
    ['nothing', '', 'the input is empty'],
    ['half of it', '{"hook_event_name": "St', 'the input is not JSON'],
    ['no JSON', 'Stop!', 'the input is not JSON'],
    ['a list', '[]', 'the input is not a JSON object'],
    ['an event without a name', '{"session_id": "s"}', 'the input has no hook_event_name'],
  ];

  test.each(firstCases(2, unusable))('whatever its input: %s', async (_, input, problem) => {
    const home = forwardingHome();
    expectToLetGo(await home.run('hook', { input }));
    expect(logOf(home)).toContain(problem);
    expect(exporter.received).toEqual([]);
  });

  test('after 10 MB, of which it forwards almost nothing', async () => {
    const home = forwardingHome();
    expectToLetGo(await home.run('hook', { input: event({ tool_input: 'x'.repeat(10_000_000) }) }));
    expect(exporter.received).toHaveLength(1);
    expect(exporter.received[0]?.body.length).toBeLessThan(300);
  });

  test('if its settings cannot be read, and notifies no one', async () => {
    const home = forwardingHome('chanels: {}');
    expectToLetGo(await home.run('hook', { input: event() }));
    expect(logOf(home)).toContain('unknown key chanels');
    expect(exporter.received).toEqual([]);
  });

  test('if its settings are missing', async () => {
    const home = homeWith();
    expectToLetGo(await home.run('hook', { input: event(), args: ['--config=/nowhere.yaml'] }));
    expect(logOf(home)).toContain('/nowhere.yaml does not exist');
  });

  test('if a flag is misspelt', async () => {
    const home = forwardingHome();
    expectToLetGo(await home.run('hook', { input: event(), args: ['--cnofig=x'] }));
    expect(exporter.received).toHaveLength(1);
    expect(logOf(home)).toContain('arguments=--cnofig');
  });

  test('if it cannot write at all', async () => {
    const home = forwardingHome();
    writeFileSync(home.state, '');
    expectToLetGo(await home.run('hook', { input: event() }));
    expect(exporter.received).toHaveLength(1);
  });

  test('if the token is missing, and keeps the event', async () => {
    const home = homeWith(`forward: {url: "${exporter.url}", token_env: NO_SUCH_TOKEN}`);
    expectToLetGo(await home.run('hook', { input: event() }));
    expect(logOf(home)).toContain('NO_SUCH_TOKEN is not set');
    expect(spooled(home)).toHaveLength(1);
  });

  test('within its deadline, if no one answers', async () => {
    const home = homeWith(
      `deadline: 1s\nforward: {url: "${exporter.url}", token_file: token, timeout: 30s}\nchannels: {chat: {type: slack, url_env: CHAT}}\nrules: [{channels: [chat]}]`,
    );
    exporter.answer = () => undefined;
    const ran = await home.run('hook', { input: event(), environment: { CHAT: exporter.url }, time: 'real' });
    expectToLetGo(ran);
    expect(spooled(home)).toHaveLength(1);
    // Neither request was awaited to its end.
    expect(logOf(home)).not.toContain('no answer within 30000 ms');
  });

  test('within its deadline, if its input does not end, and uses what has arrived', async () => {
    const home = forwardingHome();
    const ran = await home.run('hook', {
      input: { open: event() },
      time: 'input is over',
    });
    expectToLetGo(ran);
    expect(exporter.received).toHaveLength(1);
  });

  test('if its deadline is shorter than its start-up, and keeps the event', async () => {
    const home = homeWith('deadline: 100ms\nforward: {url: "http://127.0.0.1:1", token_file: token}');
    for (const nth of [1, 2]) {
      expectToLetGo(await home.run('hook', { input: event(), time: 'real' }));
      expect(spooled(home)).toHaveLength(nth);
    }
  });

  test('when it is stopped before its input has ended, and keeps what has arrived', async () => {
    const home = homeWith('deadline: 30s\nforward: {url: "http://127.0.0.1:1", token_file: token}');
    const ran = await home.run('hook', {
      input: { open: event() },
      async started(child) {
        await waitFor(() => catchesHangup(child.pid), { what: 'the command handles signals' });
        child.kill('SIGTERM');
      },
    });
    expectToLetGo(ran);
    expect(spooled(home)).toHaveLength(1);
  });

  test('when it is stopped', async () => {
    const home = forwardingHome();
    const asked = new Promise<void>((resolve) => {
      exporter.answer = () => {
        resolve();
        return undefined;
      };
    });
    const ran = await home.run('hook', {
      input: event(),
      started: (child) => asked.then(() => child.kill('SIGTERM')),
    });
    expectToLetGo(ran);
    expect(spooled(home)).toHaveLength(1);
  });
});

test('the hook lets the agent continue if Node is too old, and says so', async () => {
  // The file checks the version first; this simulates an old Node.
  const pretend = `Object.defineProperty(process, 'versions', {value: {node: '20.1.0'}}); await import(${JSON.stringify(program)});`;
  const args = ['--input-type=module', '--eval', pretend, '--', 'program', 'hook'];
  const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stderr).toContain('needs Node.js 24 or newer');
});

describe('what is forwarded', () => {
  test('is the event without its work content, and with the token', async () => {
    const home = forwardingHome();
    const secrets = {
      prompt: 'p',
      tool_input: {},
      transcript_path: '/t',
      message: 'm',
      cwd: '/c',
      extra: 'e',
    };
    await home.run('hook', { input: event({ hook_event_name: 'Brand new', reason: 'why', ...secrets }) });
    const [request] = exporter.received;
    expect(request?.path).toBe('/hooks/events');
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer the-token',
      'content-type': 'application/json',
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      hook_event_name: 'Brand new',
      session_id: 's',
      reason: 'why',
      occurred_at: expect.any(Number),
    });
  });

  test('is spooled to disk while the exporter is down, under the same id, and sent first afterwards', async () => {
    // Nobody listens there. A port that was closed may be another server's by now.
    const home = homeWith('forward: {url: "http://127.0.0.1:1", token_file: token}');
    await home.run('hook', { input: event({ hook_event_name: 'First' }) });
    await home.run('hook', { input: event({ hook_event_name: 'Second' }) });
    expect(spooled(home)).toHaveLength(2);
    home.write('hooks.yaml', `forward: {url: "${exporter.url}/", token_file: token}`);
    await home.run('hook', { input: event({ hook_event_name: 'Third' }) });
    const batch: { events: { hook_event_name: string }[] } = JSON.parse(exporter.received[0]?.body ?? '');
    expect(batch.events.map((each) => each.hook_event_name)).toEqual(['First', 'Second', 'Third']);
    expect(spooled(home)).toEqual([]);
  });

  test('goes out with --flush too', async () => {
    const home = forwardingHome();
    exporter.answer = (_, nth) => ({ status: nth === 1 ? 503 : 202 });
    await home.run('hook', { input: event() });
    expect(spooled(home)).toHaveLength(1);
    const ran = await home.run('hook', { args: ['--flush'] });
    expect(ran).toMatchObject({ code: 0, stdout: '1 of 1 spooled events sent, 0 left\n' });
  });

  test('is not among those that --flush calls sent if it was damaged or rejected', async () => {
    const home = forwardingHome();
    exporter.answer = () => ({ status: 503 });
    for (let nth = 0; nth < 2; nth++) await home.run('hook', { input: event() });
    writeFileSync(path.join(home.state, 'spool', spooled(home)[0] ?? ''), '');
    exporter.answer = () => ({ status: 400, body: '{"error": "too old", "reason": "too_old"}' });
    const ran = await home.runHere('hook', { args: ['--flush'] });
    expect(ran.stdout).toBe('0 of 2 spooled events sent, 0 left, 2 lost\n');
  });

  test('is not called absent by --flush where the spool cannot be read', async () => {
    const home = forwardingHome();
    mkdirSync(home.state);
    writeFileSync(path.join(home.state, 'spool'), '');
    const ran = await home.runHere('hook', { args: ['--flush'] });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`${home.state}/spool cannot be read (ENOTDIR)`);
  });

  test('is sent once each by many concurrent hooks', async () => {
    const home = forwardingHome();
    const runs = Array.from({ length: 6 }, () => home.run('hook', { input: event() }));
    for (const ran of await Promise.all(runs)) expectToLetGo(ran);
    const ids = exporter.received.flatMap(({ body }) => {
      const value: { id?: string; events?: { id: string }[] } = JSON.parse(body);
      return value.events?.map(({ id }) => id) ?? [value.id];
    });
    expect(new Set(ids).size).toBe(6);
    expect(spooled(home)).toEqual([]);
  });

  test('is sent once if several registrations deliver it at the same time', async () => {
    const home = forwardingHome();
    const input = event();
    const runs = Array.from({ length: 4 }, () => home.run('hook', { input }));
    for (const ran of await Promise.all(runs)) expectToLetGo(ran);
    expect(exporter.received).toHaveLength(1);
    expect(spooled(home)).toEqual([]);
    expect(statSync(path.join(home.state, 'events')).mode & 0o077).toBe(0);
  });
});

test('the log is small, private and without secrets', async () => {
  const home = forwardingHome();
  mkdirSync(home.state);
  writeFileSync(path.join(home.state, 'hook.log'), 'x'.repeat(300_000));
  exporter.answer = () => ({ status: 401 });
  await home.run('hook', { input: event({ prompt: 'a secret' }) });
  expect(readdirSync(home.state)).toContain('hook.log.1');
  expect(logOf(home)).toMatch(/^ts=\S+ level=warn msg="Events stay on disk[^\n]+answered 401[^\n]+\n$/);
  expect(logOf(home)).not.toMatch(/the-token|secret/);
  expect(statSync(path.join(home.state, 'hook.log')).mode & 0o077).toBe(0);
});

test('the log does not follow a link in its place', async () => {
  const home = forwardingHome();
  mkdirSync(home.state);
  const victim = home.write('victim', 'untouched\n');
  exporter.answer = () => ({ status: 401 });
  for (const plant of [symlinkSync, linkSync]) {
    plant(victim, path.join(home.state, 'hook.log'));
    await home.run('hook', { input: event() });
    expect(readFileSync(victim, 'utf8')).toBe('untouched\n');
    expect(logOf(home)).toContain('Events stay on disk');
    rmSync(path.join(home.state, 'hook.log'));
    rmSync(path.join(home.state, 'pause'));
  }
});

/** Preloaded into the program: writes the address of each module that it loads to a file. */
const NOTE_MODULES = `import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context); } });`;

test('an event loads neither a library nor the schema of settings, once the settings are known', async () => {
  const home = forwardingHome();
  await home.run('hook', { input: event() });
  const loaded = path.join(home.folder, 'loaded');
  const preload = `--import=data:text/javascript,${encodeURIComponent(NOTE_MODULES)}`;
  expectToLetGo(
    await home.run('hook', { input: event(), environment: { NODE_OPTIONS: preload, LOADED: loaded } }),
  );
  expect(exporter.received).toHaveLength(2);
  const files = readFileSync(loaded, 'utf8').split('\n');
  // A checkout that was built runs the build.
  expect(
    files.filter((file) => /\/(src\/agent\/run-hook\.ts|dist\/agent\/hook\.cjs)$/.test(file)),
  ).toHaveLength(1);
  expect(files.filter((file) => /node_modules|settings\/settings\.ts/.test(file))).toEqual([]);
});

test('cached settings that others can write decide nothing', async () => {
  const home = forwardingHome();
  const elsewhere = await createListener();
  await home.run('hook', { input: event() });
  const cache = path.join(home.state, 'settings.json');
  const planted = readFileSync(cache, 'utf8').replaceAll(exporter.url, elsewhere.url);
  for (const mode of [0o602, 0o620]) {
    writeFileSync(cache, planted);
    chmodSync(cache, mode);
    await home.run('hook', { input: event() });
    // Replaced by the content of the file.
    expect(readFileSync(cache, 'utf8')).toContain(exporter.url);
  }
  await elsewhere.close();
  expect(elsewhere.received).toEqual([]);
  expect(exporter.received).toHaveLength(3);
});

test.each([
  ['hook', []],
  ['hook', ['--check']],
  ['once', []],
  ['--help', []],
])('nothing is read or written in the shared temporary directory: %s %j', async (command, args) => {
  const home = homeWith();
  const shared = path.join(home.folder, 'shared');
  mkdirSync(shared);
  const missing = path.join(home.folder, 'missing');
  for (const TMPDIR of [shared, missing]) await home.run(command, { args, environment: { TMPDIR } });
  expect(readdirSync(shared)).toEqual([]);
  expect(existsSync(missing)).toBe(false);
});

describe('for people', () => {
  test('--check says what is wrong, and where', async () => {
    const home = homeWith('rules: [{channels: [desk]}]');
    const ran = await home.run('hook', { args: ['--check'] });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('hooks.yaml:1: rules[0].channels: unknown channel desk');
  });

  test('--check shows the effective settings, without secrets', async () => {
    const home = forwardingHome(
      'channels: {chat: {type: slack, url_env: SLACK_URL}}\nrules: [{channels: [chat]}]',
    );
    const environment = { SLACK_URL: 'https://chat.example/secret' };
    const ran = await home.runHere('hook', { args: ['--check'], environment });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('slack, address from SLACK_URL');
    expect(ran.stdout).not.toMatch(/secret|the-token/);
  });

  test('--check warns of settings and folders that every user can write', async () => {
    const home = forwardingHome();
    expect((await home.runHere('hook', { args: ['--check'] })).stdout).not.toContain('Warning');
    chmodSync(path.join(home.folder, 'hooks.yaml'), 0o666);
    chmodSync(home.folder, 0o777);
    const ran = await home.runHere('hook', { args: ['--check'] });
    expect(ran.code).toBe(0);
    expect(ran.stdout.match(/^Warning: every user .*$/gm)).toHaveLength(2);
  });

  test('--test tries every channel by itself', async () => {
    const home = forwardingHome(
      'channels:\n  good: {type: slack, url_env: GOOD}\n  bad: {type: discord, url_env: BAD}\n  none: {type: teams, url_env: NONE}',
    );
    exporter.answer = ({ path: at }) => ({
      status: at === '/bad' ? 500 : at === '/good' ? 200 : 400,
      body: '{"error": "no events", "reason": "malformed"}',
    });
    const environment = { GOOD: `${exporter.url}/good`, BAD: `${exporter.url}/bad` };
    const ran = await home.run('hook', { args: ['--test'], environment });
    expect(ran.code).toBe(1);
    expect(
      ran.stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/ +/g, ' ')),
    ).toEqual([
      'good slack ok',
      'bad discord FAILED: answered 500',
      'none teams FAILED: NONE is not set',
      'forward exporter ok',
    ]);
    expect(ran.stdout).not.toContain(exporter.url);
  });

  test('--test says in words why no exporter answers, and where', async () => {
    const home = homeWith('forward: {url: "http://127.0.0.1:1", token_file: token}');
    const ran = await home.runHere('hook', { args: ['--test'] });
    expect(ran.stdout).toMatch(/^forward +exporter FAILED: connection refused \(127\.0\.0\.1:1\)\n$/);
  });

  test('--test fails where no event could be kept while the exporter is away', async () => {
    const home = forwardingHome();
    exporter.answer = () => ({ status: 400, body: '{"error": "no events", "reason": "malformed"}' });
    expect(await home.runHere('hook', { args: ['--test'] })).toMatchObject({ code: 0 });
    expect(spooled(home)).toEqual([]);
    rmSync(home.state, { recursive: true });
    writeFileSync(home.state, '');
    const ran = await home.runHere('hook', { args: ['--test'] });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`FAILED: ${home.state}/spool cannot be written (`);
    expect(ran.stdout).toContain('): events are lost while the exporter is away\n');
  });

  test('--test fails where only empty files can be written, as on a full disk', () => {
    const home = homeWith('forward: {url: "http://127.0.0.1:1", token_file: token}');
    const args = ['hook', '--test', `--config=${home.folder}/hooks.yaml`, `--state-dir=${home.state}`];
    const limited = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, program, ...args];
    const { stdout } = spawnSync('/bin/sh', limited, { env: { HOME: home.folder }, encoding: 'utf8' });
    expect(stdout).toContain(`FAILED: ${home.state}/spool cannot be written (EFBIG): events are lost`);
  });
});

describe('hook-config', () => {
  test('prints a configuration of the contract’s shape', async () => {
    const ran = await homeWith().run('hook-config', {
      args: ['--event=Stop', '--command=x hook', '--timeout=7'],
    });
    expect(JSON.parse(ran.stdout)).toEqual({
      Stop: [{ hooks: [{ type: 'command', command: 'x hook', timeout: 7 }] }],
    });
  });

  test('merges, keeps what was there, and does so once', async () => {
    const home = homeWith();
    const file = home.write(
      'hooks.json',
      '{\n    "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]\n}\n',
    );
    chmodSync(file, 0o640);
    const args = ['--write', `--file=${file}`, '--event=Stop', '--command=x hook'];
    const first = await home.runHere('hook-config', { args });
    expect(first.stdout).toMatch(/backup in \S+\.bak\n$/);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text).Stop.map((entry: { hooks: object[] }) => entry.hooks[0])).toEqual([
      { type: 'command', command: 'mine' },
      { type: 'command', command: 'x hook', timeout: 5 },
    ]);
    expect(text).toContain('\n    "Stop"');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const second = await home.runHere('hook-config', { args });
    expect(second.stdout).toContain('is up to date');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(home.folder).filter((name) => name.endsWith('.bak'))).toHaveLength(1);
  });

  test('writes into the agent’s settings where the agent reads hooks', async () => {
    const home = homeWith();
    const file = home.write('settings.json', '{"model": "m"}');
    const args = ['--write', `--file=${file}`, '--event=Stop', '--command=x hook'];
    expect((await home.runHere('hook-config', { args })).code).toBe(0);
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'x hook', timeout: 5 }] }] };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ model: 'm', hooks });
  });

  test('keeps byte order mark and line ends, and names a line that it left as it is', async () => {
    const home = homeWith();
    const own = '[ -n \\"$CI\\" ] || agent-platform-exporter hook';
    const before = `\ufeff{\r\n  "Stop": [{"hooks": [{"type": "command", "command": "${own}"}]}]\r\n}\r\n`;
    const file = home.write('hooks.json', before);
    const args = ['--write', `--file=${file}`, '--event=Stop', '--event=SessionEnd'];
    const { stdout } = await home.runHere('hook-config', { args });
    expect(stdout).toContain('Stop: a command line of your own runs the hook and was left as it is\n');
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^\ufeff\{\r\n {2}"Stop"/);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(text).toContain(own);
    expect((await home.runHere('hook-config', { args })).stdout).toContain('is up to date');
  });

  test('writes through a link to a file that does not exist yet, and refuses one that leads to itself', async () => {
    const home = homeWith();
    const link = path.join(home.folder, 'hooks.json');
    symlinkSync('dotfiles/hooks.json', link);
    const args = ['--write', `--file=${link}`, '--event=Stop', '--command=x hook'];
    expect((await home.runHere('hook-config', { args })).stdout).toBe(`wrote ${link}\n`);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(home.folder, 'dotfiles/hooks.json'), 'utf8')).toContain('x hook');
    rmSync(link);
    symlinkSync('hooks.json', link);
    expect(await home.runHere('hook-config', { args })).toMatchObject({ code: 2, stdout: '' });
  });

  // As root, even /dev/null would be replaced.
  test.skipIf(process.platform === 'win32')('refuses a pipe or device, and leaves it as it is', async () => {
    const home = homeWith();
    const file = path.join(home.folder, 'hooks.json');
    spawnSync('mkfifo', [file]);
    const ran = await home.runHere('hook-config', { args: ['--write', `--file=${file}`] });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`${file} is not a regular file`);
    expect(lstatSync(file).isFIFO()).toBe(true);
  });

  test.runIf(process.platform === 'linux')(
    'writes absolute paths where the system’s PATH does not lead here, and no NODE_OPTIONS',
    async () => {
      const home = homeWith();
      const bin = path.join(home.folder, 'bin');
      mkdirSync(bin);
      symlinkSync(program, path.join(bin, 'agent-platform-exporter'));
      const { stdout } = await home.run('hook-config', {
        args: ['--event=Stop'],
        environment: { PATH: bin },
      });
      const line: string = JSON.parse(stdout).Stop[0].hooks[0].command;
      // In quotation marks where a folder has a space in its name.
      expect(line).toMatch(
        /^env -u NODE_OPTIONS ("?)\/.*\/node\1 ("?)\/.*\/agent-platform-exporter\.js\2 hook$/,
      );
      const environment = { PATH: '/usr/bin:/bin', HOME: home.folder, NODE_OPTIONS: '--require=/gone.js' };
      const ran = spawnSync('/bin/sh', ['-c', line], { input: event(), env: environment, encoding: 'utf8' });
      expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' });
    },
  );

  test('leaves every number as it was written', async () => {
    const home = homeWith();
    const file = home.write('hooks.json', '{"id": 12345678901234567890, "rate": 1.0, "hooks": {"Stop": []}}');
    const args = ['--write', `--file=${file}`, '--event=Stop', '--command=x hook'];
    expect((await home.runHere('hook-config', { args })).stdout).toContain('wrote');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"id": 12345678901234567890,');
    expect(text).toContain('"rate": 1.0,');
    expect((await home.runHere('hook-config', { args })).stdout).toContain('is up to date');
  });

  const broken = [
    '{',
    '[]',
    '{"Stop": 1}',
    '{"hooks": 5}',
    '{"hooks": []}',
    '{"hooks": null}',
    '{"hooks": 12345678901234567890}',
  ];

  test.each(firstCases(2, broken))('changes nothing in a file that contains %s', async (text) => {
    const home = homeWith();
    const file = home.write('hooks.json', text);
    const ran = await home.runHere('hook-config', { args: ['--write', `--file=${file}`] });
    expect(ran.code).toBe(2);
    expect(ran.stderr.split('\n')[0]).toContain(file);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(home.folder).sort()).toEqual(['hooks.json', 'state', 'token']);
  });
});
