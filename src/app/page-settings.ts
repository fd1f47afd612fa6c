import { createHash } from 'node:crypto';
import type { PeopleSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { LiveConfig } from '../config/config.ts';

/**
 * What a page depends on, of each part of a configuration: all plain values, unless a part or a field is named as irrelevant.
 * A part that is missing here does not compile, because a page that other settings have made must not be shown.
 */
const SHAPES: { readonly [Part in keyof LiveConfig]: (part: LiveConfig[Part]) => unknown } = {
  orgs: (orgs) => orgs.map(({ credential: _, baseUrl: _base, appUrl: _app, ...org }) => org),
  collectors: (collectors) => [...collectors],
  metrics: ({ excluded, ...metrics }) => [[...excluded].sort(), metrics],
  history: (history) => history,
  limits: ({ valuesPerLabel, ...limits }) => [
    labels().map((label) => [label, valuesPerLabel(label)]),
    limits,
  ],
  readiness: (readiness) => readiness,
  // Their files may have changed since a page was made.
  people: nothing,
  // The organizations are those of the shard.
  shard: nothing,
  // How and when the platform is asked does not change what was stored.
  api: nothing,
  schedules: nothing,
  log: nothing,
};

/** Fingerprint of the settings that shape a page, and of how they identify people and assign them to teams. */
export function pageSettingsOf(config: LiveConfig, people: PeopleSettings): string {
  const parts = Object.keys(SHAPES) as (keyof LiveConfig)[];
  const shapes = parts.map((part) => [part, shapeOf(part, config)]);
  const { identity, teamRules, teamBudgets } = people;
  const all = [...shapes, identity, teamRules, [...teamBudgets]];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

function shapeOf<Part extends keyof LiveConfig>(part: Part, config: LiveConfig): unknown {
  return SHAPES[part](config[part]);
}

/** Every label that can be limited. */
function labels(): readonly string[] {
  const families = allCollectors.flatMap((collector) => collector.families);
  return [...new Set(families.flatMap((family) => family.labels))].sort();
}

function nothing(): undefined {
  return undefined;
}
