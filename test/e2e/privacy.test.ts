import { expect, test } from 'vitest';
import { plantedSecrets } from '../../src/sandbox/index.ts';
import { DAY, type Story, startStory } from './harness.ts';
import { listOf } from './recount.ts';

const EVERY_FAULT = [
  [],
  ['bad-rows=0.5', 'wiki-shape=unknown'],
  ['401=0.5', '403=0.5', '500=0.3', 'error-body'],
  ['html=1:200', 'redirect-elsewhere'],
  ['malformed'],
  ['cut-off'],
];

/** Everything that the service shows to anybody. */
async function everythingShown(story: Story): Promise<string> {
  const paths = ['/metrics', '/', '/?org=acme', '/status', '/-/ready', '/-/healthy', '/nothing-here?user=x'];
  const shown = [story.log()];
  for (const path of paths) {
    for (const accept of ['text/html', 'application/openmetrics-text']) {
      const response = await story.get(path, { headers: { accept } });
      shown.push(JSON.stringify([...response.headers]), await response.text());
    }
  }
  return shown.join('\n');
}

/** E-mail addresses and ids of people, from the API. */
async function peopleOf(story: Story): Promise<readonly string[]> {
  const answer = await story.ask('/api/v1/analytics/users', {
    startDate: '2026-10-12',
    endDate: '2026-11-19',
    limit: '100',
  });
  const texts = listOf(answer, 'data').flatMap((row) => [row['user_id'], row['user_email']]);
  return [...new Set(texts.filter((text) => typeof text === 'string'))];
}

test('no e-mail, user id, key or secret of the platform is shown anywhere, whatever goes wrong', async () => {
  const story = await startStory({ sandbox: { repos: 12 } });
  const people = await peopleOf(story);
  const shown: string[] = [];
  for (const faults of EVERY_FAULT) {
    story.platform.setFaults(faults);
    story.clock.advance(DAY);
    await story.poll();
    shown.push(await everythingShown(story));
  }
  const everything = shown.join('\n');

  expect(story.log()).toContain('level=debug');
  expect(everything).toContain('agent_platform_daily_hook_invocations_by_event');
  expect(everything).toContain('github.com/acme/web');
  expect(people.length).toBeGreaterThan(10);
  const private_ = [...people, ...Object.values(plantedSecrets)];
  for (const { keys } of story.platform.orgs) private_.push(...Object.values(keys));
  expect(private_.filter((text) => everything.includes(text))).toEqual([]);
  expect(everything).not.toMatch(/@[a-z]+\.example\b/);
  for (const commandLine of ['prettier', 'guard.py', 'mysql', 'notify-send', '/home/ada', 'chat.example']) {
    expect(everything).not.toContain(commandLine);
  }
});
