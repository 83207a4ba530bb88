import { inject } from 'vitest';
import { needsStarted } from '../support/needs.js';

await needsStarted('Docker Engine 25 with Compose 2.24.4', () => inject('dockerMissing'));

/** The environment that clients of the run's Docker engine need. */
export const engineEnvironment = inject('docker');
