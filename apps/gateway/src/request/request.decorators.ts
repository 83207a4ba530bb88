import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { bindBody, parseQuery, Refusal, type BodyClass } from '@keyfold/http-envelope';
import type { KeyfoldRequest } from './keyfold-request.js';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<KeyfoldRequest>();

/** The JSON body as an instance of the class (wire contract 1.9). */
export const JsonBody = createParamDecorator((Dto: BodyClass<object>, context: ExecutionContext) => {
  const request = requestOf(context);
  return bindBody(Dto, request.body, request.sentContentType);
});

/** Like `JsonBody` for routes that answer every problem of the body with one text. */
export const JsonBodyOr = createParamDecorator(
  ({ Dto, refusal }: { Dto: BodyClass<object>; refusal: string }, context: ExecutionContext) => {
    const request = requestOf(context);
    try {
      return bindBody(Dto, request.body, request.sentContentType);
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(400, refusal) : error;
    }
  },
);

/** The query, read by hand as the original does (wire contract 1.9). */
export const QueryText = createParamDecorator((_: undefined, context: ExecutionContext) => {
  const { url } = requestOf(context);
  const start = url.indexOf('?');
  return parseQuery(start < 0 ? '' : url.slice(start + 1));
});

/** Who the request speaks for; the route must have the caller guard. */
export const SpeaksFor = createParamDecorator((_: undefined, context: ExecutionContext) => requestOf(context).caller);

/** The id that goes from the request into the commit and the messages. */
export const Correlation = createParamDecorator((_: undefined, context: ExecutionContext) => requestOf(context).id);
