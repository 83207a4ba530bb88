/** Called before each call of a port. It can delay the call or, by throwing, fail it. */
export type Listener = (call: string) => void | Promise<unknown>;

/** Wraps a port so that `listener` is called with `<name>.<method>` before each call. */
export function watchedPort<Port extends object>(name: string, port: Port, listener: Listener): Port {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        await listener(`${name}.${String(property)}`);
        return member.apply(target, args) as unknown;
      };
    },
  });
}
