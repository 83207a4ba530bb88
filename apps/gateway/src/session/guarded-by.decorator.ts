import { applyDecorators, UseGuards } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { CallerGuardClass } from './caller.guard.js';

/** The extension that carries the refusals of the guard to `completeDocument`, which removes it. */
export const GUARD_REFUSALS = 'x-guard-refusals';

/** Guards a route, or every route of a controller, and documents the token and the refusals of the guard. */
export const GuardedBy = (guard: CallerGuardClass): MethodDecorator & ClassDecorator =>
  applyDecorators(UseGuards(guard), ApiSecurity('token'), ApiExtension(GUARD_REFUSALS, guard.refusals));
