/**
 * Tries all that a page can do to a server, with a token or without one. It runs in the browser.
 *
 * @returns the name of each attempt, and what the page learned; undefined: nothing.
 */
globalThis.tryAll = async ({ url, token }) => {
  const patienceMs = 10_000;
  const freeze = JSON.stringify({ scope: "*", by: "a page", why: "hostile" });
  const paths = { list: "/v1/workloads", freezes: "/v1/freezes", push: "/v1/demo/push", events: "/v1/events" };
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const inTime = (answer) => Promise.race([answer, new Promise((resolve) => setTimeout(resolve, patienceMs))]);

  const fetched = async (path, init) => {
    const response = await fetch(url + path, { credentials: "include", ...init }).catch(() => undefined);
    if (response === undefined || response.type === "opaque" || response.type === "opaqueredirect") return undefined;
    return response.ok ? `${response.status} ${(await response.text()).slice(0, 100)}` : undefined;
  };
  const asked = (method, path) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open(method, url + path);
      for (const [name, value] of Object.entries(authorization)) request.setRequestHeader(name, value);
      request.onload = () => {
        resolve(request.status < 300 ? request.responseText.slice(0, 100) : undefined);
      };
      request.onerror = () => {
        resolve(undefined);
      };
      request.send(method === "GET" ? null : freeze);
    });
  const loaded = (element, path) =>
    new Promise((resolve) => {
      element.onload = () => {
        const inside = element instanceof HTMLIFrameElement ? element.contentDocument?.body.innerText : undefined;
        // A frame loads whatever is answered; what counts is its text.
        const isRefusal =
          inside === undefined || inside.includes('"type":"tag:lookout.dev,2026:problem:') || inside === "";
        resolve(element instanceof HTMLIFrameElement ? (isRefusal ? undefined : inside) : "loaded");
      };
      element.onerror = () => {
        resolve(undefined);
      };
      if (element instanceof HTMLLinkElement) element.href = url + path;
      else element.src = url + path;
      document.body.append(element);
    });
  const submitted = (encoding, path) => {
    const frame = document.createElement("iframe");
    frame.name = `frame-${Math.random()}`;
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", action: url + path, enctype: encoding, target: frame.name });
    const field = document.createElement("input");
    Object.assign(field, { name: `${freeze.slice(0, -1)},"x":"`, value: '"}' });
    form.append(field);
    document.body.append(frame, form);
    form.submit();
    return new Promise((resolve) => {
      setTimeout(() => {
        resolve(undefined);
      }, 500);
    });
  };
  const streamed = () =>
    new Promise((resolve) => {
      const source = new EventSource(url + paths.events, { withCredentials: true });
      source.onopen = () => {
        source.close();
        resolve("open");
      };
      source.onerror = () => {
        source.close();
        resolve(undefined);
      };
    });
  const connected = () =>
    new Promise((resolve) => {
      const socket = new WebSocket(url.replace(/^http/, "ws") + paths.events);
      socket.onopen = () => {
        resolve("open");
      };
      socket.onerror = () => {
        resolve(undefined);
      };
    });

  const json = { "content-type": "application/json" };
  const script = document.createElement("script");
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet" });
  const tried = {
    "fetch GET": () => fetched(paths.list, {}),
    "fetch GET with a token": () => fetched(paths.list, { headers: authorization }),
    "fetch GET without CORS": () => fetched(paths.list, { mode: "no-cors" }),
    "fetch GET of a page": () => fetched("/v1/workloads?limit=1", { mode: "same-origin" }),
    "fetch GET with a token in the address": () => fetched(`${paths.list}?token=${token ?? ""}`, {}),
    "fetch OPTIONS": () => fetched(paths.list, { method: "OPTIONS" }),
    "fetch POST as text": () => fetched(paths.freezes, { method: "POST", body: freeze }),
    "fetch POST without CORS": () => fetched(paths.freezes, { method: "POST", body: freeze, mode: "no-cors" }),
    "fetch POST as JSON": () => fetched(paths.freezes, { method: "POST", body: freeze, headers: json }),
    "fetch POST with a token": () =>
      fetched(paths.freezes, { method: "POST", body: freeze, headers: { ...json, ...authorization } }),
    "fetch POST of a push": () =>
      fetched(paths.push, { method: "POST", body: "{}", headers: { ...json, ...authorization } }),
    "fetch PUT": () => fetched(paths.freezes, { method: "PUT", body: freeze, headers: authorization }),
    "fetch DELETE": () => fetched(`${paths.freezes}/all`, { method: "DELETE", headers: authorization }),
    "fetch POST that outlives the page": () =>
      fetched(paths.freezes, { method: "POST", body: freeze, keepalive: true, mode: "no-cors" }),
    "a beacon": () => {
      navigator.sendBeacon(url + paths.freezes, freeze);
      return Promise.resolve(undefined);
    },
    "a request of the old kind, GET": () => asked("GET", paths.list),
    "a request of the old kind, POST": () => asked("POST", paths.freezes),
    "an image": () => loaded(new Image(), paths.list),
    "a script": () => loaded(script, paths.list),
    "a style": () => loaded(style, paths.list),
    "a frame": () => loaded(document.createElement("iframe"), paths.list),
    "a form as text": () => submitted("text/plain", paths.freezes),
    "a form": () => submitted("application/x-www-form-urlencoded", paths.freezes),
    "a form with parts": () => submitted("multipart/form-data", paths.push),
    "an event stream": streamed,
    "a WebSocket": connected,
  };
  return Promise.all(
    Object.entries(tried).map(async ([name, run]) => ({ name, learned: await inTime(run().catch(() => undefined)) })),
  );
};
