import { test } from 'vitest';
import { liveThroughStorm, seedsOr } from './seeds.ts';

// The other half is in another file, so that another worker runs it.
test.each(seedsOr([11, 12, 13, 14, 15]))('the promises hold in a storm, seed %i', liveThroughStorm);
