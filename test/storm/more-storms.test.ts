import { test } from 'vitest';
import { liveThroughStorm } from './seeds.ts';

test.each([16, 17, 18, 19, 20])('the promises hold in a storm, seed %i', liveThroughStorm);
