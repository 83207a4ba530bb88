import { Command } from '@nestjs/cqrs';
import type { Administrator, Caller } from './caller.js';
import type { Origin } from '../origin.js';

/** A command that concerns only its caller, or the whole service. */
export abstract class CallerCommand<Result = void, By extends Administrator = Caller> extends Command<Result> {
  constructor(
    readonly caller: By,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** A command of an administrator on an account. */
export abstract class AccountCommand<Result = void> extends Command<Result> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}
