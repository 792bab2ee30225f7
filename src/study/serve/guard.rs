//! Refusal of requests that a page of another origin has caused.
//!
//! A page of another site can make a browser send requests to this server. Such a request has the
//! `Origin` of that page, or, after the name of that site was bound to the address of this server,
//! its `Host`.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, header};

/// The hosts that a server answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    /// The address on which the server listens.
    pub(super) address: SocketAddr,
}

impl Guard {
    /// Returns true if the request is for this server by its address, and if no page of another
    /// origin has caused it.
    pub(super) fn accepts(self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        let Ok(host) = host.to_str() else { return false };
        self.accepts_host(host)
            && headers
                .get_all(header::ORIGIN)
                .iter()
                .all(|origin| origin.as_bytes() == format!("http://{host}").as_bytes())
    }

    /// Returns true for the addresses of this machine, with the port. Names other than `localhost`
    /// are refused, because a site can bind its name to any address.
    fn accepts_host(self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        if name == "localhost" {
            return true;
        }
        let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let Ok(ip) = name.parse::<IpAddr>() else { return false };
        if self.address.ip().is_loopback() { ip.is_loopback() } else { true }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_addresses_of_the_server_are_accepted() {
        let guard = Guard { address: "127.0.0.1:8000".parse().unwrap() };
        let accepts = |host: &str, origin: Option<&str>| guard.accepts(&headers(host, origin));
        for host in ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "127.0.0.2:8000"] {
            assert!(accepts(host, None), "{host}");
            assert!(accepts(host, Some(&*format!("http://{host}"))), "{host}");
            assert!(!accepts(host, Some("http://example.com")), "{host}");
            assert!(!accepts(host, Some("null")), "{host}");
            assert!(!accepts(host, Some(&*format!("https://{host}"))), "{host}");
        }
        for host in [
            "example.com:8000",
            "127.0.0.1",
            "127.0.0.1:80",
            "192.168.0.1:8000",
            "localhost.example.com:8000",
            "[::1]",
            ":8000",
            "127.0.0.1:8000:8000",
        ] {
            assert!(!accepts(host, None), "{host}");
        }
        assert!(!guard.accepts(&HeaderMap::new()));
        let open = Guard { address: "0.0.0.0:8000".parse().unwrap() };
        assert!(open.accepts(&headers("192.168.0.1:8000", None)));
        assert!(!open.accepts(&headers("example.com:8000", None)));
    }
}
