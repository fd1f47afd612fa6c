export { aboutFamilies } from './org-families.ts';

import type { Collector } from '../catalog/collector.ts';
import { activityCollector } from './activity/collector.ts';
import { productivityCollector } from './productivity/collector.ts';
import { readinessCollector } from './readiness/collector.ts';
import { spendCollector } from './spend/collector.ts';
import { tokensCollector } from './tokens/collector.ts';
import { toolsCollector } from './tools/collector.ts';
import { usersCollector } from './users/collector.ts';
import { wikiCollector } from './wiki/collector.ts';

/** Every collector, in the order in which their families are declared and, over a limit, dropped. */
export const collectors: readonly Collector[] = [
  tokensCollector,
  spendCollector,
  toolsCollector,
  activityCollector,
  productivityCollector,
  usersCollector,
  readinessCollector,
  wikiCollector,
];
