import { randomUUID } from 'node:crypto';
import { type HookEvent, sharedPart } from '../hooks/event.ts';
import { classifyResponse } from '../hooks/forward/forward.ts';
import { createRunProgram } from '../hooks/notify/local.ts';
import { deliverAll } from '../hooks/notify/notify.ts';
import type { HookPaths } from '../hooks/paths.ts';
import {
  createPost,
  createSecrets,
  type Post,
  type PostRequest,
  type ReadSecret,
  readToken,
} from '../hooks/post.ts';
import type { ForwardSettings } from '../hooks/settings/settings.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { messageOf } from '../runtime/errors.ts';
import { soundFile } from '../runtime/installation.ts';
import { proxyIn } from '../runtime/proxy.ts';
import { createRedactor } from '../runtime/redact.ts';
import type { CommandContext } from './command.ts';
import { settingsFor } from './hook-settings.ts';

/** Generous, because a person waits and wants to know whether a slow server answers at all. */
const timeoutMs = 10_000;
/** A channel that fails at its own time limit says more than one that is ended. */
const endingMs = 1000;

/** Sends a sample through every channel and prints each result; exit code 1 if one failed. */
export async function testHook(paths: HookPaths, context: CommandContext): Promise<number> {
  const settings = settingsFor(paths);
  const clock = createSystemClock();
  const redactor = createRedactor(() => []);
  const signal = AbortSignal.timeout(timeoutMs + endingMs);
  const post = createPost(proxyIn(context.environment));
  const secret = createSecrets(context.environment, redactor.remember);
  const notice = {
    title: 'Agent Platform Exporter',
    text: 'This is a test of the hook notifications',
    event: sharedPart(sample, randomUUID(), clock.now()),
    extra: {},
  };
  const deliveries = Object.entries(settings.channels).map(([name, channel]) => ({ name, channel, notice }));
  const { environment } = context;
  const parts = {
    post,
    secret,
    clock,
    signal,
    timeoutMs,
    soundFile,
    environment,
    platform: process.platform,
  };
  const [outcomes, forwarding] = await Promise.all([
    deliverAll(deliveries, { ...parts, run: createRunProgram(signal) }),
    settings.forward === undefined ? [] : [tryForwarding(settings.forward, post, secret)],
  ]);
  const all = [...outcomes, ...(await Promise.all(forwarding))];
  if (all.length === 0) context.stdout.write('No channel is configured, and no exporter to forward to.\n');
  for (const { name, type, problem } of all) {
    const result = problem === undefined ? 'ok' : `FAILED: ${redactor.redact(problem)}`;
    context.stdout.write(`${name.padEnd(16)} ${type.padEnd(8)} ${result}\n`);
  }
  return all.some(({ problem }) => problem !== undefined) ? 1 : 0;
}

const sample: HookEvent = {
  name: 'Notification',
  sessionId: '00000000-test',
  reason: undefined,
  notificationType: undefined,
  cwd: undefined,
  fields: {},
};

async function tryForwarding(
  settings: ForwardSettings,
  post: Post,
  secret: ReadSecret,
): Promise<{ name: string; type: string; problem: string | undefined }> {
  const outcome = { name: 'forward', type: 'exporter' };
  try {
    const token = readToken(settings.token, secret);
    return { ...outcome, problem: await tokenProblem({ ...settings, token, timeoutMs }, post) };
  } catch (error) {
    return { ...outcome, problem: messageOf(error) };
  }
}

/**
 * Why an exporter would not take events with a token; undefined if it would. An empty batch verifies the token and counts as no
 * event. Rejects with a `PostError` if there is no answer.
 */
export async function tokenProblem(
  {
    url,
    caFile,
    token,
    timeoutMs: limit,
  }: Pick<PostRequest, 'url' | 'caFile' | 'timeoutMs'> & { readonly token: string },
  post: Post,
): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await post({ url, caFile, headers, body: '{"events":[]}', timeoutMs: limit });
  const verdict = classifyResponse(answer, 0);
  if (verdict.kind === 'taken') return undefined;
  if (verdict.kind === 'later') return verdict.why;
  return verdict.byIntake
    ? undefined
    : `${verdict.why}, but not as the exporter's hook intake would: check forward.url`;
}
