import { type Caller } from '@keyfold/application';
import { ROLE_GUEST } from '@keyfold/domain';
import type { QueryBus } from '@nestjs/cqrs';
import { expect, it } from 'vitest';
import type { KeyfoldRequest } from '../request/request-reading.js';
import { ActivityController } from './activity.controller.js';
import { ActivityExport } from './activity-export.js';

/** More than may wait for a page of one account. */
const REQUESTS = 40;

it('the guest is refused without a place in the queue of pages, however many requests arrive', async () => {
  const neverAnswers = { execute: () => new Promise<never>(() => undefined) } as unknown as QueryBus;
  const controller = new ActivityController(neverAnswers, new ActivityExport());
  const caller = { by: 'guest', account: { accountId: 2, role: ROLE_GUEST } } as Caller;
  const request = { caller, url: '/api/me/activity', raw: { url: '/api/me/activity' } } as KeyfoldRequest;
  const refusals = Array.from({ length: REQUESTS }, () => controller.list(request).catch((error: Error) => error));
  for (const refusal of refusals) expect(await refusal).toMatchObject({ code: 'guest-has-no-history' });
});
