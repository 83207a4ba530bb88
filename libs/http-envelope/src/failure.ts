import { DomainError } from '@keyfold/domain';
import { HttpException } from '@nestjs/common';
import { refusalOf } from './error-codes.js';
import { Fault, Refusal } from './refusal.js';

/**
 * What an error means to the client; undefined for an unexpected one. Errors that Nest and Fastify throw keep their 4xx
 * status; their 5xx count as unexpected, because their texts were not written for clients.
 */
export function failureOf(error: unknown): Refusal | Fault | undefined {
  if (error instanceof Refusal || error instanceof Fault) return error;
  if (error instanceof DomainError) return refusalOf(error);
  const status = statusOf(error);
  return status >= 400 && status < 500 && error instanceof Error ? new Fault(status, error.message) : undefined;
}

/** The status that Nest or Fastify gave to an error, 0 if neither did. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return isFastifyError(error) ? error.statusCode : 0;
}

const isFastifyError = (error: unknown): error is { code: string; statusCode: number } =>
  error instanceof Error &&
  'code' in error &&
  String(error.code).startsWith('FST_') &&
  'statusCode' in error &&
  typeof error.statusCode === 'number';
