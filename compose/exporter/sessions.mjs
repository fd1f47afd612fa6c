// Simulated sessions: sends the hook events that agents would send, until stopped.
// Usage: node sessions.mjs http://exporter:9889/hooks/events, with AGENT_PLATFORM_HOOKS_TOKEN.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const [url = ''] = process.argv.slice(2);
const headers = {
  authorization: `Bearer ${process.env.AGENT_PLATFORM_HOOKS_TOKEN}`,
  'content-type': 'application/json',
};
const SESSIONS = 6;
const TURN_MS = 4000;
const ENDINGS = ['prompt_input_exit', 'prompt_input_exit', 'clear', 'logout', 'error'];

/** One session after another: prompts and tool calls, now and then a question that waits for a human. */
async function work(seat) {
  for (;;) {
    const session = randomUUID();
    await send('SessionStart', session);
    for (let turn = 0; turn < 3 + Math.random() * 12; turn += 1) {
      await send('UserPromptSubmit', session);
      for (let call = 0; call < 1 + Math.random() * 5; call += 1) {
        await send('PreToolUse', session);
        await send('PostToolUse', session);
      }
      if (Math.random() < 0.2) {
        await send('Notification', session);
        await pause(TURN_MS * (2 + Math.random() * 40));
      }
      await send('Stop', session);
      await pause(TURN_MS * (1 + seat + Math.random() * 5));
    }
    await send('SessionEnd', session, { reason: ENDINGS[Math.floor(Math.random() * ENDINGS.length)] });
  }
}

async function send(name, session, more = {}) {
  const event = {
    id: randomUUID(),
    hook_event_name: name,
    session_id: session,
    occurred_at: Date.now(),
    ...more,
  };
  // What cannot be sent is lost: these events are not real ones.
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(event) }).catch(() => pause(TURN_MS));
  await pause(500);
}

// Figures of a real organization must not be mixed with simulated ones.
if (!process.env.AGENT_PLATFORM_CONFIG_FILE?.endsWith('/demo.yml')) process.exit(0);
process.on('SIGTERM', () => process.exit(0));
await Promise.all(Array.from({ length: SESSIONS }, (_, seat) => work(seat)));
