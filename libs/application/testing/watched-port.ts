/** Hears every call of a port before it is passed on; what it throws or waits for comes before the port's own work. */
export type Listener = (call: string) => void | Promise<void>;

/** The port itself, with somebody listening: calls are heard as `<name>.<method>`. */
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
