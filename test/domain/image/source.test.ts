import { describe, expect, it } from "vitest";
import { sourceRepository } from "#domain/image/source";

describe("the source that an image states", () => {
  it.each([
    ["https://github.com/acme/api", "https://github.com/acme/api", "as most builds write it"],
    ["https://github.com/acme/api.git", "https://github.com/acme/api", "with the suffix of git"],
    ["https://github.com/acme/api/", "https://github.com/acme/api", "with a slash at the end"],
    ["https://github.com/acme/api.git/", "https://github.com/acme/api", "with both"],
    ["https://GitHub.com/Acme/API", "https://github.com/Acme/API", "with the host in capitals"],
    ["HTTPS://github.com/acme/api", "https://github.com/acme/api", "with the scheme in capitals"],
    ["https://github.com:443/acme/api", "https://github.com/acme/api", "with the usual port"],
    ["https://github.com/nginx/docker.git#1a2b3c4:stable", "https://github.com/nginx/docker", "a build context"],
    ["git@github.com:acme/api.git", "https://github.com/acme/api", "as git clones by SSH"],
    ["ssh://git@github.com/acme/api.git", "https://github.com/acme/api", "as a URL of SSH"],
    ["ssh://git@github.com:22/acme/api", "https://github.com/acme/api", "with the port of SSH"],
    ["https://github.com/acme/api.js", "https://github.com/acme/api.js", "with a dot in its name"],
    ["https://gitlab.com/acme/team/shop/api", "https://gitlab.com/acme/team/shop/api", "in a group of groups"],
    ["https://bitbucket.org/acme/api", "https://bitbucket.org/acme/api", "on Bitbucket"],
    ["https://codeberg.org/acme/api", "https://codeberg.org/acme/api", "on Forgejo"],
    ["https://gitea.com/acme/api", "https://gitea.com/acme/api", "on Gitea"],
  ])("%s is the repository %s: %s", (text, url) => {
    expect(sourceRepository(text)?.url).toBe(url);
  });

  it.each([
    ["", "it is empty"],
    ["acme/api", "it has no host"],
    ["http://github.com/acme/api", "anybody on the way can change it"],
    ["git://github.com/acme/api", "no browser opens it"],
    ["javascript:alert(1)//github.com/acme/api", "it is a script"],
    ["https://git.example.com/acme/api", "the host is unknown"],
    ["https://github.com.evil.example/acme/api", "the host only begins as a known one"],
    ["https://evilgithub.com/acme/api", "the host only ends as a known one"],
    ["https://github.com./acme/api", "the host has a dot at its end"],
    ["https://gıthub.com/acme/api", "a letter of the host looks like another"],
    ["https://github.com@evil.example/acme/api", "the known host is the user of another"],
    ["https://ana:secret@github.com/acme/api", "it has a user and a password"],
    ["https://github.com\\@evil.example/acme/api", "browsers read a backslash as a slash"],
    ["https://github.com:8443/acme/api", "another port is another server"],
    ["https://github.com/acme/api?next=evil", "it has a query"],
    ["https://github.com/acme", "it names no repository"],
    ["https://github.com/acme/api/tree/main", "it names a page of a repository"],
    ["https://gitlab.com/acme/api/-/tree/main", "it names a page of a project"],
    ["https://github.com/../login", "the path leads upwards"],
    ["https://github.com/acme/..", "the path leads upwards at its end"],
    ["https://github.com//acme/api", "a name is empty"],
    ["https://github.com/acme/.git", "the repository has no name"],
    ["https://github.com/acme/a%2e%2e", "it hides characters"],
    ["https://github.com/acme/api> <!channel", "it ends the link of a message"],
    ["https://github.com/acme/api|click", "it renames the link of a message"],
    ["https://github.com/acme/api)[x](https://evil.example", "it is two links in Markdown"],
    ["https://github.com/acme/api\nhttps://evil.example", "it has two lines"],
    ["https://github.com/acme/api#a\nb", "its fragment has two lines"],
    ["https://github.com/acme/\u202eipa", "it changes the direction of text"],
    [" https://github.com/acme/api", "it begins with a space"],
    ["git@evil.example:github.com/acme/api", "the known host is a folder"],
    ["https://gitlab.com/" + "a/".repeat(21) + "api", "no project is so deep"],
    ["https://github.com/acme/" + "a".repeat(300), "it is longer than 300 characters"],
  ])("%j is no repository: %s", (text) => {
    expect(sourceRepository(text)).toBeUndefined();
  });
});
