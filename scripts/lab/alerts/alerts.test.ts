import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings, ruleGroups } from '../../../alerts/src/index.ts';
import type { RuleSettings } from '../../../alerts/src/rule.ts';
import { createPrograms } from '../../../test/system/programs.ts';
import { makeBlocks, startPrometheus } from '../../../test/system/prometheus-server.ts';
import { requireTool } from '../../../test/system/tools.ts';
import { expectDocumented } from './document.ts';
import { type Episode, episodesOf } from './episodes.ts';
import { type Judged, judge } from './judged.ts';
import { liveThrough, YEAR } from './lived.ts';
import { type Message, messagesOf } from './notifications.ts';
import { createPlantedYear } from './planted.ts';
import { createRecording } from './recording.ts';
import { alertTable } from './report.ts';

const SEED = 100;
const EXAMPLE = new URL('../../../alerts/alertmanager.example.yaml', import.meta.url);
/** Subqueries in steps of minutes find no more than those of an hour in samples two hours apart. */
const settings: RuleSettings = {
  ...defaultSettings,
  duration: (said, use) => (use === 'step' ? '1h' : said),
};
const alerts = ruleGroups(settings).flatMap((group) => group.alerts);
const asked = new Set(alerts.flatMap(({ expr }) => expr.match(/agent_platform_\w+/g) ?? []));

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('the alerts of a year', () => {
  const programs = createPrograms();
  const years = [5, 120, 2000].map((people) => createPlantedYear(SEED, people));
  let judged: readonly Judged[] = [];
  let messages: readonly Message[] = [];

  beforeAll(async () => {
    const recording = createRecording(asked);
    for (const year of years) await liveThrough(year, recording);
    const folder = join(programs.folder(), 'year');
    mkdirSync(folder);
    recording.write(folder);
    const prometheus = await startPrometheus(programs, {
      tsdb: await makeBlocks(programs, folder),
      // A sample counts at its own step alone.
      lookback: '59m',
    });
    const span = { from: YEAR.from / 1000, until: YEAR.until / 1000 };
    const episodes: Episode[] = [];
    for (const alert of alerts) episodes.push(...(await episodesOf(prometheus, alert, span)));
    messages = messagesOf(readFileSync(EXAMPLE, 'utf8'), episodes);
    judged = alerts.flatMap(({ name }) => years.map((year) => judge(year, name, messages)));
  });

  test('are as documented; UPDATE=1 writes the table anew', () => {
    expectDocumented('alerts', alertTable(judged));
  });

  test.each([
    'ExporterDown',
    'KeyRejected',
    'CollectionFailing',
    'Throttled',
    'DataStale',
    'ReadinessReportOld',
  ])('tell every fault once, and nothing else: %s', (name) => {
    for (const { alert, people, missed, falsely } of judged.filter((one) => one.alert === name))
      expect({ alert, people, missed, falsely }).toEqual({ alert, people, missed: 0, falsely: 0 });
  });

  test.each(['BudgetProjectedOver', 'BudgetExceeded', 'TeamBudgetProjectedOver'])(
    'remind nobody of a month that was told: %s',
    (name) => {
      const ofMonths = judged.filter(({ alert }) => alert === name);
      expect(ofMonths.map(({ reminders }) => reminders)).toEqual([0, 0, 0]);
    },
  );

  test.each(['BudgetProjectedOver', 'TeamBudgetProjectedOver'])('tell a month once: %s', (name) => {
    const told = messages.flatMap(({ firing }) =>
      firing
        .filter(({ alert }) => alert === name)
        .map(({ labels }) => `${labels['org']} ${labels['budget_team']} ${labels['month']}`),
    );
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told).size).toBe(told.length);
  });

  test('tell a silent platform once', () => {
    const silent = judged.filter(({ alert, people }) => alert === 'PlatformSilent' && people > 100);
    expect(silent.map(({ firstMessages, reminders }) => [firstMessages, reminders])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  test.each(['CreditSpike', 'NewModelShare', 'PlatformSilent', 'AdoptionDropped'])(
    'tell no event that did not happen, from 100 people up: %s',
    (name) => {
      const large = judged.filter(({ alert, people }) => alert === name && people > 100);
      expect(large.map(({ falsely }) => falsely)).toEqual([0, 0]);
    },
  );
});
