import { constants, setPriority } from 'node:os';

/** Of this process, and of every process that its tests start from now on. */
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
