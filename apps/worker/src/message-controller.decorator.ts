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

/** By default Nest makes one text of every error, and nobody could tell any more what may be tried again. */
@Catch()
class KeepErrors implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** A controller whose handlers take messages of a queue; what they throw decides what becomes of the message. */
export const MessageController = () => applyDecorators(Controller(), UseFilters(new KeepErrors()));

/** The data of a message in the form of a schema. Throws `InvalidMessage`, whose text names fields and no values. */
export class DataOf<Schema extends z.ZodType> implements PipeTransform<unknown, z.infer<Schema>> {
  constructor(private readonly schema: Schema) {}

  transform(data: unknown): z.infer<Schema> {
    const parsed = this.schema.safeParse(data);
    if (parsed.success) return parsed.data;
    const fields = new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? 'the body')));
    throw new InvalidMessage('message-invalid', `not as the schema wants it: ${[...fields].join(', ')}`);
  }
}
