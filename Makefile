# shared: entries shared between the devices on one network.
#   make           the release binaries        make test     every test
#   make demo      two devices share entries   make install  PREFIX=/usr/local DESTDIR=
#   make deb       a package for Debian 12

PREFIX ?= /usr/local
DESTDIR ?=
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d

SWIFT ?= swift
RELEASE = $(SWIFT) build -c release --static-swift-stdlib
BINARIES = .build/release

BUILD_PACKAGES = libavahi-compat-libdnssd-dev libsqlite3-dev libsodium-dev libssl-dev \
	libzstd-dev libmicrohttpd-dev libsystemd-dev \
	libqrencode-dev libzip-dev libexpat1-dev
TEST_PACKAGES = libcbor-dev avahi-daemon dbus iproute2 sqlite3 openssl systemd \
	python3 python3-cbor2 python3-nacl python3-openssl python3-zstandard python3-pandas \
	python3-openpyxl
DEB_PACKAGES = debhelper dpkg-dev lintian po-debconf
SERVICE_PACKAGES = debootstrap systemd-container iproute2
PACKAGES = $(BUILD_PACKAGES) $(TEST_PACKAGES)

.DEFAULT_GOAL := all
.PHONY: all deps demo test test-exhaustive test-service faults wasm lint lab bench install \
	uninstall deb clean

all: deps
	$(RELEASE) --product sharedd
	$(RELEASE) --product shared
	$(RELEASE) --product shared-form

# Installs what is missing, where that is allowed; otherwise says what to type. Services are not
# started: a lab has its own, and a build must not begin to announce this machine on its network.
deps:
	@here=" $$(dpkg-query -W -f '$${Package}=$${db:Status-Status} ' $(PACKAGES) 2>/dev/null)"; \
	missing=$$(for package in $(PACKAGES); do \
		case "$$here" in *" $$package=installed "*) ;; *) printf ' %s' "$$package" ;; esac; \
	done); \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then sudo=; \
	elif sudo -n true 2>/dev/null; then sudo=sudo; \
	else echo "sudo apt-get install -y$$missing" >&2; exit 1; fi; \
	policy=/usr/sbin/policy-rc.d; made=; \
	if [ ! -e $$policy ]; then \
		printf '#!/bin/sh\nexit 101\n' | $$sudo tee $$policy >/dev/null; \
		$$sudo chmod 755 $$policy; made=1; fi; \
	trap 'if [ -n "$$made" ]; then $$sudo rm -f $$policy; fi' EXIT; \
	trap 'exit 1' INT TERM HUP; \
	{ $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing \
		|| { $$sudo apt-get update && $$sudo env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends $$missing; }; }

demo: all
	@Lab/demo

# What CI leaves out of the build: what only a debugger reads is a seventh of the work.
TEST_BUILD ?=

test: deps
	$(SWIFT) build --build-tests $(TEST_BUILD)
	@Tests/run

# What `make test` takes seconds of, to its end in minutes: the model of authority, random orders,
# random conditions.
test-exhaustive: deps
	$(SWIFT) build --build-tests
	@SHARED_EXHAUSTIVE=1 Tests/run ShareCoreTests.Authority \
		ShareStoreTests.AnyOrder ShareStoreTests.ConflictWar ShareStoreTests.Filter

# The package on two booted machines, as root alone. The first time fetches a Debian 12, for minutes.
test-service:
	@if [ "$$(id -u)" != 0 ]; then echo "test-service: skipped: it needs root"; \
	else $(MAKE) deps PACKAGES="$(PACKAGES) $(DEB_PACKAGES) $(SERVICE_PACKAGES)" && $(MAKE) deb && \
		Tests/service/run; fi

# Kills, failing system calls, full disks, damaged pages: ten minutes. `Tests/faults/run --help`
faults: all
	@Tests/faults/run

# The language of forms must stay free of everything that a browser does not have. Nothing is
# optimised, as nobody runs what comes of it.
wasm:
	$(SWIFT)c -target wasm32-unknown-none-wasm -enable-experimental-feature Embedded -wmo -Onone \
		-parse-as-library -package-name shared -c $$(find Sources/Expressions -name '*.swift') \
		-o /dev/null

lint:
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests Benchmarks Package.swift

lab: all
	@Lab/run
	@Lab/doctor

bench: all
	$(RELEASE) --product store-bench
	$(RELEASE) --product form-bench
	@Benchmarks/run
	@$(BINARIES)/store-bench
	@$(BINARIES)/form-bench
	@Benchmarks/forms.py
	@Benchmarks/find.py

# Installs what `make` built, so that it can run as root without building as root.
install:
	@test -x "$(BINARIES)/sharedd" && test -x "$(BINARIES)/shared" \
		|| { echo "make: error: nothing is built; run make first" >&2; exit 1; }
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/shared" \
		"$(DESTDIR)$(UNITDIR)" "$(DESTDIR)$(SYSUSERSDIR)" \
		"$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/man/man8" \
		"$(DESTDIR)$(PREFIX)/share/doc/shared"
	install -s -m 755 "$(BINARIES)/sharedd" "$(BINARIES)/shared" "$(DESTDIR)$(PREFIX)/bin/"
	install -s -m 755 "$(BINARIES)/shared-form" "$(DESTDIR)$(PREFIX)/libexec/shared/"
	sed 's|/usr/bin/sharedd|$(PREFIX)/bin/sharedd|' systemd/sharedd.service \
		> "$(DESTDIR)$(UNITDIR)/sharedd.service"
	chmod 644 "$(DESTDIR)$(UNITDIR)/sharedd.service"
	install -m 644 systemd/shared.sysusers "$(DESTDIR)$(SYSUSERSDIR)/shared.conf"
	for page in docs/man/*.1 docs/man/*.8; do \
		if [ -e "$$page" ]; then install -m 644 "$$page" \
			"$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/"; fi; done
	install -m 644 LICENSE "$(DESTDIR)$(PREFIX)/share/doc/shared/"
	set -e; for place in bash:bash-completion/completions/shared \
			zsh:zsh/site-functions/_shared fish:fish/vendor_completions.d/shared.fish; do \
		file="$(DESTDIR)$(PREFIX)/share/$${place#*:}"; install -d "$$(dirname "$$file")"; \
		"$(BINARIES)/shared" completion "$${place%%:*}" >"$$file"; chmod 644 "$$file"; done

# Leaves data and group where they are.
uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/sharedd" "$(DESTDIR)$(PREFIX)/bin/shared" \
		"$(DESTDIR)$(PREFIX)/libexec/shared/shared-form" \
		"$(DESTDIR)$(UNITDIR)/sharedd.service" "$(DESTDIR)$(SYSUSERSDIR)/shared.conf" \
		"$(DESTDIR)$(PREFIX)/share/man/man1/shared.1" \
		"$(DESTDIR)$(PREFIX)/share/man/man8/sharedd.8" \
		"$(DESTDIR)$(PREFIX)/share/doc/shared/LICENSE" \
		"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/shared" \
		"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_shared" \
		"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/shared.fish"
	-rmdir "$(DESTDIR)$(PREFIX)/share/doc/shared" "$(DESTDIR)$(PREFIX)/libexec/shared" 2>/dev/null

# .build/deb/shared_VERSION_ARCH.deb, looked at by lintian: nothing that it finds may be new.
deb: PACKAGES += $(DEB_PACKAGES)
deb: deps
	rm -rf .build/deb && mkdir -p .build/deb/tree && cp -r Packaging/debian .build/deb/tree/
	cd .build/deb/tree && SOURCE="$(CURDIR)" dpkg-buildpackage --build=binary --no-sign
	rm -rf .build/deb/tree
	lintian --fail-on error,warning .build/deb/*.changes
	@ls .build/deb/*.deb

clean:
	rm -rf .build .demo .lab
