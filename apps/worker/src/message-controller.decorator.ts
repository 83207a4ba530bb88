import {
  applyDecorators,
  Catch,
  Controller,
  UseFilters,
  type ExceptionFilter,
  type PipeTransform,
} from '@nestjs/common';
import { InvalidMessage } from '@keyfold/messaging';
import { throwError, type Observable } from 'rxjs';
import type { z } from 'zod';

/** Keeps the class of an error, which decides on retries; Nest's default filter replaces it with a text. */
@Catch()
class KeepErrors implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** Marks a controller whose handlers take messages of a queue. The error of a handler decides what happens to its message. */
export const MessageController = () => applyDecorators(Controller(), UseFilters(new KeepErrors()));

/** Validates the data of a message. Throws `InvalidMessage`, whose text names the invalid fields but no values. */
export class DataOf<Schema extends z.ZodType> implements PipeTransform<unknown, z.infer<Schema>> {
  constructor(private readonly schema: Schema) {}

  transform(data: unknown): z.infer<Schema> {
    const parsed = this.schema.safeParse(data);
    if (parsed.success) return parsed.data;
    const fields = new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? 'body')));
    throw new InvalidMessage('message-invalid', `the data does not match the schema: ${[...fields].join(', ')}`);
  }
}
