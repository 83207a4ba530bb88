export { crossOriginHeaders, crossOriginHook } from './cross-origin.hook.js';
export { errorEnvelope, oncePer, PreparedResponse, successEnvelope, toJson } from './envelope.js';
export {
  EnvelopeFilter,
  failureOf,
  UNKNOWN_PATH,
  type FailedRequest,
  type FailureAnswer,
  type MessageMask,
} from './envelope.filter.js';
export { errorCodes, refusalFor } from './error-codes.js';
export { Fault, Refusal, type RefusalRow } from './refusal.js';
export {
  bindBody,
  bindList,
  FlagField,
  GoStruct,
  jsonName,
  TextField,
  WholeField,
  type BodyClass,
} from './requests/bind-body.js';
export {
  checkedBody,
  checkedKnownFields,
  checkedQuery,
  instantOf,
  IsInstant,
  type InputClass,
} from './requests/checked-input.js';
export {
  IDEMPOTENCY_KEY_LETTERS,
  inputRefusal,
  inputRefusals,
  QUERY_BYTES,
  type InputRefusal,
} from './requests/input-refusals.js';
export {
  atoi,
  offsetOf,
  pageOf,
  parsePaging,
  parseQuery,
  QueryParameters,
  type Paging,
} from './requests/query-parameters.js';
