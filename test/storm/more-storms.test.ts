import { test } from 'vitest';
import { liveThroughStorm, seedsOr } from './seeds.ts';

test.each(seedsOr([16, 17, 18, 19, 20]))('the promises hold in a storm, seed %i', liveThroughStorm);
