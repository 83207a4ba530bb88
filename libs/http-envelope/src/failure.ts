import { DomainError } from '@keyfold/domain';
import { HttpException } from '@nestjs/common';
import { refusalFor } from './error-codes.js';
import { Fault, Refusal } from './refusal.js';

/**
 * Returns the refusal or fault that an error stands for, or undefined for an unexpected error. Errors of Nest and Fastify keep a
 * 4xx status. Their 5xx errors count as unexpected, because their messages are not meant for clients.
 */
export function failureOf(error: unknown): Refusal | Fault | undefined {
  if (error instanceof Refusal || error instanceof Fault) return error;
  if (error instanceof DomainError) return refusalFor(error);
  const status = statusOf(error);
  return status >= 400 && status < 500 && error instanceof Error ? new Fault(status, error.message) : undefined;
}

/** Returns the HTTP status that Nest or Fastify set on an error, or 0. */
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
