import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Recorded requests to the original and its answers; `recordings/README.md` describes the format. */
export interface Recording {
  group: string;
  about: string;
  given: Step[];
  cases: RecordedCase[];
}

/** One fact about the original, as steps that depend on no other case. */
export interface RecordedCase {
  id: string;
  title: string;
  fresh?: boolean;
  steps: Step[];
  difference?: { why: string; skip: true } | { why: string; answers: (Answer | Skipped | null)[] };
}

export type Step =
  | SendStep
  | { create: { username: string; password?: string; [field: string]: Json | undefined } }
  | { edit: string; set: JsonObject }
  | { look: string }
  | { enrol: string; shift?: number }
  | DecodeStep
  | PictureStep
  | { wait: number }
  | { restart: true; env?: Record<string, string> };

export interface SendStep {
  send: RecordedRequest;
  answer: HttpAnswer;
  save?: Record<string, string>;
}

export interface DecodeStep {
  decode: string;
  answer: TokenAnswer;
}

export interface PictureStep {
  qr: string;
  answer: PictureAnswer;
}

export interface RecordedRequest {
  method: string;
  path: string;
  json?: Json;
  text?: string;
  base64?: string;
  headers?: Record<string, string | null>;
  as?: string;
  from?: string;
}

/** The expected HTTP answer. Fields that are absent are not compared. Strings are templates. */
export interface HttpAnswer {
  status: number;
  type?: string | null;
  headers?: Record<string, string | null>;
  body?: string;
  has?: string[];
  lacks?: string[];
  keys?: string[];
  eachKeys?: string[];
  length?: number;
  strings?: true;
}

/** The expected content of a JWT: header and claims as templates, `lifetime` in seconds, types of claims. */
export interface TokenAnswer {
  header?: string;
  claims?: string;
  lifetime?: number;
  hasClaims?: Record<string, string>;
}

/** The expected content of a QR image: its size, such as `400x400`, and the label and parameters of its otpauth URL. */
export interface PictureAnswer {
  size: string;
  otpauth: Record<string, string>;
}

export type Answer = HttpAnswer | TokenAnswer | PictureAnswer;
export type Skipped = { skip: true };
export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };
/** The public keys that the cases reference. */
export type RecordedKeys = Record<string, { text: string; fingerprint: string }>;

const FOLDER = join(import.meta.dirname, 'recordings');
const FOLDERS = ['account', 'settings'] as const;

/** Returns all recordings, sorted by folder and name. A group has the name of its folder and file, such as `account/login`. */
export function readRecordings(): Recording[] {
  return FOLDERS.flatMap((folder) => {
    const names = readdirSync(join(FOLDER, folder)).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => {
      const recording = readJson(join(folder, name)) as Recording;
      return { ...recording, group: `${folder}/${recording.group}` };
    });
  });
}

/** Returns the public keys beside the recordings. */
export function readKeys(): RecordedKeys {
  return readJson('keys.json') as RecordedKeys;
}

/**
 * Returns the answer expected from Keyfold for a step: the deliberate difference if there is one, else the recorded
 * answer. Undefined if the step is skipped.
 */
export function expectedAnswer({ steps, difference }: RecordedCase, index: number): Answer | undefined {
  if (difference && 'skip' in difference) return undefined;
  const step = steps[index];
  const own = difference?.answers[index] ?? (step && 'answer' in step ? step.answer : undefined);
  return own && 'skip' in own ? undefined : own;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, path), 'utf8'));
}
