import type { Origin } from '@keyfold/application';
import { randomUUID } from 'node:crypto';

/** Returns the origin of a change that an operator makes. */
export const newOrigin = (): Origin => ({ correlation: randomUUID() });
