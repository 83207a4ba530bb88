import { constants, setPriority } from 'node:os';
import { afterAll } from 'vitest';
import { endFile } from './afterwards.js';

// Of this process, and of every process that its tests start from now on: a deployment on Docker has ten containers that
// must respond in time, so the other tests give way to it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

afterAll(endFile);
